#include <cy/codec/arcos_report.hpp>

#include "pieces.hpp"
#include <type_traits>

namespace cy::arcos {

// Each text is cut to a third of a frame, so that all three are there.
Buffer encode(Identity const& identity) {
  constexpr auto most = payload_max / 3 - 2;
  Payload out(0x02);
  for (auto const* text : {&identity.name, &identity.type, &identity.sub_type})
    out.text(std::string_view(*text).substr(0, most));
  return out.framed();
}

Decoded<Identity> decode_identity(Bytes payload) {
  auto in = open(payload, 0x02);
  if (!in) return tl::unexpected(in.error());
  Identity identity;
  for (auto* text : {&identity.name, &identity.type, &identity.sub_type}) {
    if (in->left() == 0) return tl::unexpected(Malformed::truncated);
    *text = in->text();
  }
  return identity;
}

Buffer encode(Config const& config, std::size_t fields) {
  Payload out(packet::config);
  auto written = std::size_t{0};
  Config::each(config, [&](auto const& field) {
    if (written >= fields) return;
    bool fits{};
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>)
      fits = out.text(field);
    else
      fits = out.number(field);
    written = fits ? written + 1 : fields;
  });
  return out.framed();
}

Decoded<Config> decode_config(Bytes payload) {
  auto in = open(payload, packet::config);
  if (!in) return tl::unexpected(in.error());
  Config config;
  auto more = true;
  Config::each(config, [&](auto& field) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, std::string>) {
      more = more && in->left() > 0;
      if (more) field = in->text();
    } else {
      more = more && in->left() >= sizeof(Field);
      if (more) field = in->number<Field>();
    }
    if (more) ++config.present;
  });
  return config;
}

}  // namespace cy::arcos
