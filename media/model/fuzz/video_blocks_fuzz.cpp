// Datagrams of blocks from anybody, with clock jumps, against a small pool. The first byte picks the
// pool's shape; then come records: 0xff and a byte of time in 10 ms, or a size byte and that many
// bytes of an encoded VideoBlock, or a compact block of 8 bytes that is always well-formed.
#include <cy/base/check.hpp>
#include <cy/media/pool.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cy;
  using namespace cy::media;
  if (size < 1) return 0;
  PoolOptions options;
  options.levels = 1 + data[0] % 8;
  options.patience = std::chrono::milliseconds((data[0] >> 3) % 4 * 10);
  options.frame_bytes = 4096;
  options.pool_bytes = 16384;
  Pool pool(StreamId{1}, options);
  if (data[0] >= 0x80) pool.on_round_trip(std::chrono::milliseconds(20));
  Time now = Time{} + 1h;
  std::vector<PoolEffect> effects;
  std::optional<std::uint32_t> last;
  std::uint64_t restarts = 0;

  auto const check = [&] {
    CY_CHECK(pool.levels_in_use() <= options.levels);
    CY_CHECK(pool.memory() <= options.pool_bytes + 4096);
    effects.clear();
    pool.drain(effects);
    for (auto const& effect : effects) {
      auto const* const shown = std::get_if<Shown>(&effect);
      if (shown == nullptr) continue;
      if (pool.restarts() != restarts) last.reset();
      restarts = pool.restarts();
      CY_CHECK(!last || newer(shown->number, *last));
      CY_CHECK(!shown->data.empty() && shown->data.size() <= options.frame_bytes);
      CY_CHECK(!shown->key || shown->clean);
      last = shown->number;
    }
  };

  std::size_t at = 1;
  while (at < size) {
    auto const kind = data[at++];
    if (kind == 0xff) {
      now += std::chrono::milliseconds(at < size ? data[at++] * 10 : 10);
      pool.on_time(now);
    } else if (kind >= 0x80) {
      if (size - at < 7) break;
      auto const* const p = data + at;
      at += 7;
      FrameHead const head{StreamId{1}, static_cast<std::uint32_t>(p[0] | (p[1] << 24)),
                           static_cast<std::uint32_t>(p[2] * 33'000), (p[3] & 1) != 0};
      Buffer const frame(1 + p[4] * 16U, p[5]);
      VideoBlock block;
      auto const blocks = block_count(frame.size(), 512);
      cut_block(head, frame, 512, p[6] % blocks, block);
      if ((p[3] & 2) != 0) {
        block.block = static_cast<std::uint16_t>(blocks + p[6] % 4U);
        block.data = parity_rows(frame, blocks, p[6] % 4U, 1).front();
      }
      pool.on_block(block, now);
    } else {
      auto const length = std::min<std::size_t>(kind, size - at);
      if (auto const block = wire::decode<VideoBlock>({data + at, length})) pool.on_block(*block, now);
      at += length;
    }
    check();
  }
  auto const report = pool.report(now);
  CY_CHECK(report.frames_unclean <= report.frames_complete);
  return 0;
}
