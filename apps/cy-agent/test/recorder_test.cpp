#include "recorder.hpp"

#include <gtest/gtest.h>

#include "mcap_reader.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>

namespace cy::agent {
namespace {

namespace fs = std::filesystem;

class RecorderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "cy-recorder-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder); }

  void note(Recorder& recorder, std::string_view text) {
    now += 1ms;
    recorder.on_record({host::Topic::note, 1, copy_of(bytes_of(text))}, now);
  }
  // What every file of the box holds, oldest first; each is without a fault.
  std::vector<std::string> notes() {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> all;
    for (auto const& path : files) {
      std::ifstream in(path, std::ios::binary);
      std::string const text{std::istreambuf_iterator<char>(in), {}};
      auto const file = record::read_mcap(bytes_of(text));
      EXPECT_EQ(file.wrong, "") << path;
      for (auto const& message : file.messages) all.push_back(message.bytes.substr(2));
    }
    return all;
  }

  fs::path folder;
  Time now{1h};
};

TEST_F(RecorderTest, WritesWhatHappenedInFilesOfBoundedSize) {
  std::string const text(1000, 'x');
  {
    net::Worker files;
    Recorder recorder(files, folder, 2 << 20);
    EXPECT_TRUE(recorder.working());
    for (auto i = 0; i < 6000; ++i) note(recorder, text);
  }
  auto const seen = notes();
  EXPECT_GT(seen.size(), 1000u);
  EXPECT_LT(seen.size(), 3000u);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [&](auto const& one) { return one == text; }));
  for (auto const& entry : fs::directory_iterator(folder)) EXPECT_LT(entry.file_size(), 1u << 20);
}

TEST_F(RecorderTest, ADiskThatIsTooSlowCostsRecordsButSpoilsNoFile) {
  {
    net::Worker files(2);
    Recorder recorder(files, folder, 64 << 20);
    std::promise<void> stuck, go, idle;
    while (!files.post([&, done = go.get_future().share()] {
      stuck.set_value();
      done.wait();
    }))
      std::this_thread::yield();
    stuck.get_future().wait();
    for (auto i = 0; i < 2000; ++i) {
      note(recorder, std::string(1000, 'a'));
    }
    EXPECT_FALSE(recorder.working());
    go.set_value();
    while (!recorder.working()) {
      std::this_thread::sleep_for(1ms);
      note(recorder, "again");
    }
    while (!files.post([&] { idle.set_value(); })) std::this_thread::yield();
    idle.get_future().wait();
    note(recorder, "the last");
    EXPECT_TRUE(recorder.working());
  }
  auto const seen = notes();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), "the last");
  EXPECT_LT(seen.size(), 2000u);
}

TEST_F(RecorderTest, AFolderThatCannotBeWrittenIsSaid) {
  std::ofstream(folder / "file") << "in the way";
  net::Worker files;
  Recorder recorder(files, folder / "file" / "box", 1 << 20);
  while (recorder.working()) std::this_thread::sleep_for(1ms);
  note(recorder, "lost");
  EXPECT_FALSE(recorder.working());
}

TEST_F(RecorderTest, NoFolderRecordsNothing) {
  net::Worker files;
  Recorder recorder(files, "", 1 << 20);
  note(recorder, "nothing");
  EXPECT_FALSE(recorder.working());
  EXPECT_FALSE(recorder.deadline());
}

}  // namespace
}  // namespace cy::agent
