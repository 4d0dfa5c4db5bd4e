// The built page, read once: only what was in its folder at the start can be asked for, so no path
// leads anywhere else.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/result.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace cy::station {

struct SiteFile {
  std::string_view type;  // Content-Type
  std::string etag;
  Buffer data;
};

class Site {
 public:
  // Faults when there is no index.html in it.
  static Result<Site> read(std::string const& folder);

  // Of a request's target; "/" is index.html. Null: no such file.
  std::shared_ptr<SiteFile const> find(std::string_view target) const;
  std::size_t size() const { return files_.size(); }

 private:
  std::map<std::string, std::shared_ptr<SiteFile const>, std::less<>> files_;
};

}  // namespace cy::station
