// cy keygen, cy trust
#include <cy/app/keys.hpp>

#include <nlohmann/json.hpp>

#include "commands.hpp"

namespace cy::cli {
namespace {
std::vector<std::string> role_names() {
  auto const all = names(Role{});
  return {all.begin(), all.end()};
}
}  // namespace

void add_keygen(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("keygen", "Makes a key pair: FILE (secret) and FILE.pub");
  auto path = std::make_shared<std::string>();
  auto replace = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  command->add_option("file", *path, "where to put the secret key")->required();
  command->add_flag("--replace", *replace,
                    "replace a key that is there: whoever trusted it must trust the new one");
  command->add_flag("--json", *json, "print JSON");
  command->callback([=, &status] {
    auto const pair = app::write_new_key(*path, *replace);
    if (!pair) {
      status = fail(pair.error(), *json);
      return;
    }
    auto const text = seal::to_text(pair->public_key);
    auto const print = seal::fingerprint(pair->public_key);
    if (*json)
      fmt::print("{}\n",
                 nlohmann::json{{"file", *path}, {"public_key", text}, {"fingerprint", print}}.dump());
    else
      fmt::print("secret key: {}\npublic key: {}.pub\n{}\nfingerprint {}\n", *path, *path, text, print);
  });
}

void add_trust(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("trust", "Lets a station's key in, at the agent: cy trust operator KEY NAME");
  struct Options {
    std::string file = "trusted", role, key, name;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  command->add_option("--file", o->file, "the agent's list of trusted keys")->capture_default_str();
  command->add_option("role", o->role, "the most that this station may vouch for")
      ->required()
      ->check(CLI::IsMember(role_names()));
  command->add_option("key", o->key, "its public key, or the .pub file")->required();
  command->add_option("name", o->name, "what to call it")->required();
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &status] {
    auto const key = app::read_public_key(o->key);
    if (!key) {
      status = fail(key.error(), o->json);
      return;
    }
    auto const roles = names(Role{});
    auto const list = app::read_trust(o->file, {roles.begin(), roles.end()});
    if (!list) {
      status = fail(list.error(), o->json);
      return;
    }
    for (auto const& entry : *list)
      if (entry.key == *key) {
        status =
            fail(Fault{fmt::format("{} trusts this key already, as {} '{}'; edit the file to change that",
                                   o->file, entry.role, entry.name)},
                 o->json);
        return;
      }
    if (auto const done = app::append_trust(o->file, {o->role, *key, o->name}); !done) {
      status = fail(done.error(), o->json);
      return;
    }
    if (o->json)
      fmt::print("{}\n", nlohmann::json{{"file", o->file}, {"role", o->role}, {"name", o->name}}.dump());
    else
      fmt::print("{} trusts {} '{}' now ({})\n", o->file, o->role, o->name, seal::fingerprint(*key));
  });
}

}  // namespace cy::cli
