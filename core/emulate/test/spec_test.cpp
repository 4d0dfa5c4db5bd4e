#include <cy/emulate/spec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cy::emulate {
namespace {

using testing::HasSubstr;

Path path_of(std::string_view text) {
  auto const spec = parse_spec(text);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().what);
  return spec ? spec->schedule.entries.front().path : Path{};
}

std::string why(std::string_view text) {
  auto const spec = parse_spec(text);
  EXPECT_FALSE(spec) << text;
  return spec ? std::string{} : spec.error().what;
}

TEST(Spec, reads_every_key) {
  auto const spec = parse_spec(
      "delay=20ms,jitter=3ms,loss=2%,ge=1.05/20,rate=3Mbit,queue=400ms,dup=0.1%,reorder=1%,late=5ms,seed=7");
  ASSERT_TRUE(spec) << spec.error().what;
  EXPECT_EQ(spec->seed.value, 7U);
  ASSERT_EQ(spec->schedule.entries.size(), 1U);
  auto const& path = spec->schedule.entries.front().path;
  EXPECT_EQ(path.delay, 20ms);
  EXPECT_EQ(path.jitter, 3ms);
  EXPECT_DOUBLE_EQ(path.loss, 0.02);
  ASSERT_TRUE(path.bursts);
  EXPECT_DOUBLE_EQ(path.bursts->p_bad, 0.0105);
  EXPECT_DOUBLE_EQ(path.bursts->p_good, 0.2);
  EXPECT_DOUBLE_EQ(path.bursts->loss_bad, 1.0);
  EXPECT_DOUBLE_EQ(path.bursts->loss_good, 0.0);
  EXPECT_DOUBLE_EQ(path.rate_bps.value(), 3e6);
  EXPECT_EQ(path.queue, 400ms);
  EXPECT_DOUBLE_EQ(path.duplicate, 0.001);
  EXPECT_DOUBLE_EQ(path.reorder, 0.01);
  EXPECT_EQ(path.late, 5ms);
}

TEST(Spec, reads_units) {
  EXPECT_EQ(path_of("delay=1.5ms").delay, 1500us);
  EXPECT_EQ(path_of("delay=250us").delay, 250us);
  EXPECT_EQ(path_of("delay=2s").delay, 2s);
  EXPECT_DOUBLE_EQ(path_of("rate=800kbit").rate_bps.value(), 8e5);
  EXPECT_DOUBLE_EQ(path_of("rate=9600bit").rate_bps.value(), 9600);
  EXPECT_DOUBLE_EQ(path_of("rate=1Gbit").rate_bps.value(), 1e9);
  EXPECT_EQ(path_of("ge=1/20/80/0.5").bursts, (GilbertElliott{0.01, 0.2, 0.005, 0.8}));
  EXPECT_EQ(path_of(""), Path{});
}

TEST(Spec, knows_its_presets) {
  EXPECT_EQ(path_of("clean"), Path{});
  EXPECT_EQ(path_of("d20l2"), (Path{.delay = 20ms, .loss = 0.02}));
  EXPECT_EQ(path_of("d50l5"), (Path{.delay = 50ms, .loss = 0.05}));
  EXPECT_EQ(path_of("burst"), (Path{.delay = 20ms, .bursts = GilbertElliott{0.0105, 0.2}}));
  auto const step = parse_spec("step");
  ASSERT_TRUE(step);
  ASSERT_EQ(step->schedule.entries.size(), 3U);
  EXPECT_DOUBLE_EQ(step->schedule.at(10s).rate_bps.value(), 0.8e6);
  EXPECT_EQ(step->schedule.at(15s).delay, 20ms);
  EXPECT_DOUBLE_EQ(step->schedule.at(25s).rate_bps.value(), 3e6);
  for (auto const name : preset_names()) EXPECT_TRUE(parse_spec(name)) << name;
}

TEST(Spec, presets_can_be_changed) {
  EXPECT_EQ(path_of("d20l2,loss=0%,jitter=1ms"), (Path{.delay = 20ms, .jitter = 1ms}));
  EXPECT_EQ(path_of("burst,ge=none"), Path{.delay = 20ms});
  auto const step = parse_spec("step,loss=1%,seed=9");
  ASSERT_TRUE(step);
  for (auto const& entry : step->schedule.entries) EXPECT_DOUBLE_EQ(entry.path.loss, 0.01);
  EXPECT_EQ(step->seed.value, 9U);
}

TEST(Spec, reads_steps_and_outages) {
  auto const spec = parse_spec("delay=10ms,step=5s:down,step=6s:up+delay=30ms+loss=1%,period=10s");
  ASSERT_TRUE(spec) << spec.error().what;
  EXPECT_EQ(spec->schedule.at(4s), Path{.delay = 10ms});
  EXPECT_TRUE(spec->schedule.at(5s).down);
  EXPECT_EQ(spec->schedule.at(6s), (Path{.delay = 30ms, .loss = 0.01}));
  EXPECT_TRUE(spec->schedule.at(15s).down);
}

TEST(Spec, names_the_bad_key_and_what_is_allowed) {
  EXPECT_THAT(why("los=2%"), HasSubstr("unknown key \"los\"; allowed: delay, jitter, loss"));
  EXPECT_THAT(why("wifi"), HasSubstr("clean, d20l2, d50l5, burst, step"));
  EXPECT_THAT(why("delay=20ms,d20l2"), HasSubstr("standing first, a preset"));
  EXPECT_THAT(why("delay=20"), HasSubstr("delay: \"20\" is not a time; write a number with us, ms or s"));
  EXPECT_THAT(why("delay=-1ms"), HasSubstr("delay: \"-1ms\" is not a time"));
  EXPECT_THAT(why("jitter=nanms"), HasSubstr("jitter"));
  EXPECT_THAT(why("queue=1e300s"), HasSubstr("queue"));
  EXPECT_THAT(why("loss=0.02"), HasSubstr("loss: \"0.02\" is not a percentage; write 0% to 100%: 2%"));
  EXPECT_THAT(why("dup=101%"), HasSubstr("dup"));
  EXPECT_THAT(why("rate=3"),
              HasSubstr("rate: \"3\" is not a rate; write a number with bit, kbit, Mbit or Gbit"));
  EXPECT_THAT(why("rate=0Mbit"), HasSubstr("from 1kbit"));
  for (auto const* const bad : {"ge=1", "ge=", "ge=1/2/3/4/5", "ge=1/2/", "ge=1/200", "ge=1%/20%"}) {
    EXPECT_THAT(why(bad), HasSubstr("is not a burst model")) << bad;
  }
  EXPECT_THAT(why("seed=x"), HasSubstr("seed: \"x\" is not a whole number"));
  EXPECT_THAT(why("seed=-1"), HasSubstr("seed"));
  EXPECT_THAT(why("loss=1%,loss=2%"), HasSubstr("loss: given twice"));
  EXPECT_THAT(why("step=2s:down,step=1s:up"), HasSubstr("in order of time"));
  EXPECT_THAT(why("step=1s:speed=3"), HasSubstr("unknown key \"speed\""));
  EXPECT_THAT(why("step=1s"), HasSubstr("unknown key \"\""));
  EXPECT_THAT(why("step=1s:down,loss=1%"), HasSubstr("before the first step"));
  EXPECT_THAT(why("step=5s:down,period=5s"), HasSubstr("period: must be longer"));
  EXPECT_THAT(why("loss=1%,,dup=1%"), HasSubstr("neither key=value"));
}

TEST(Spec, survives_its_text_form) {
  for (auto const* const text : {"clean", "d20l2", "burst", "step",
                                 "delay=1.5ms,jitter=250us,loss=0.3%,ge=1/20/80/0.5,rate=2.5Mbit,seed=99",
                                 "delay=10ms,step=5s:down,step=6s:up+ge=1/"
                                 "2,step=7s:ge=none+rate=1Mbit,step=8s:rate=none,period=10s"}) {
    auto const spec = parse_spec(text);
    ASSERT_TRUE(spec) << spec.error().what;
    auto const printed = to_text(*spec);
    auto const again = parse_spec(printed);
    ASSERT_TRUE(again) << printed << ": " << again.error().what;
    EXPECT_EQ(to_text(*again), printed);
    EXPECT_EQ(again->seed.value, spec->seed.value);
    EXPECT_EQ(again->schedule.period, spec->schedule.period);
    ASSERT_EQ(again->schedule.entries.size(), spec->schedule.entries.size());
    for (std::size_t i = 0; i < spec->schedule.entries.size(); ++i) {
      EXPECT_EQ(again->schedule.entries[i].after, spec->schedule.entries[i].after);
      EXPECT_EQ(again->schedule.entries[i].path, spec->schedule.entries[i].path) << printed;
    }
  }
}

}  // namespace
}  // namespace cy::emulate
