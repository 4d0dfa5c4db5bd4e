// What every room that defines messages tests of them. Returns faults in words, none when all is well.
#pragma once

#include <cy/wire/codec.hpp>
#include <cy/wire/print.hpp>
#include <cy/wire/sample.hpp>

#include <map>

namespace cy::wire {

// Each message of the catalogue has a type of its own within [lowest, highest], and any values that it
// takes come back from their bytes.
template <Message... Ms>
std::vector<std::string> audit(Catalogue<Ms...>, Type lowest, Type highest, Seed seed = Seed{5}) {
  std::vector<std::string> faults;
  std::map<Type, std::string_view> owners;
  Random random{seed};
  auto const audit_one = [&]<class M>(std::type_identity<M>) {
    auto const [owner, fresh] = owners.emplace(M::head.type, M::head.name);
    if (!fresh)
      faults.push_back(fmt::format("{} and {} share type {:#x}", owner->second, M::head.name, M::head.type));
    if (M::head.type < lowest || M::head.type > highest)
      faults.push_back(
          fmt::format("{} has type {:#x}, outside its room's range", M::head.name, M::head.type));
    for (auto i = 0; i < 50; ++i) {
      auto const bytes = encoded(sample<M>(random));
      Walk walk(bytes);
      auto const raw = walk.next();
      auto const again = raw ? as<M>(*raw) : std::nullopt;
      if (!again || encoded(*again) != bytes) {
        faults.push_back(fmt::format("{} does not come back from its bytes", M::head.name));
        return;
      }
    }
  };
  (audit_one(std::type_identity<Ms>{}), ...);
  return faults;
}

}  // namespace cy::wire
