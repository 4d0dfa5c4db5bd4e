// The sources behind Capture's URLs. Each opens or says why not.
#pragma once

#include <cy/av/capture.hpp>

namespace cy::media {

Result<std::unique_ptr<Source>> open_device(std::string const& path, CaptureOptions const& options);
Result<std::unique_ptr<Source>> open_film(std::string const& path);
Result<std::unique_ptr<Source>> open_test(std::string const& name, CaptureOptions const& options);
Result<std::unique_ptr<Source>> open_world(std::string const& path);

}  // namespace cy::media
