#include <cy/port/frame_port.hpp>
#include <cy/port/layout.hpp>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <utility>

namespace cy::media {
namespace {

static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

PortHeader& header(Mapping const& m) {
  return *reinterpret_cast<PortHeader*>(m.at());
}
SlotHeader& slot(Mapping const& m, std::uint64_t number) {
  return reinterpret_cast<SlotHeader*>(m.at() + slot_headers_at)[number % port_slots];
}
std::size_t bytes_of(FrameFormat f) {
  return i420_bytes(f.width, f.height);
}
std::size_t file_size(FrameFormat f) {
  return pictures_at + port_slots * whole_pages(bytes_of(f));
}
// From the format that was checked once: the other process can change the header at any time.
MutableBytes picture(Mapping const& m, FrameFormat f, std::uint64_t number) {
  return {m.at() + pictures_at + number % port_slots * whole_pages(bytes_of(f)), bytes_of(f)};
}
template <class T>
std::atomic_ref<T> atomic(T& value) {
  return std::atomic_ref<T>(value);
}
std::int64_t nanoseconds(Time t) {
  return t.time_since_epoch().count();
}

bool valid(FrameFormat f) {
  return f.width > 0 && f.height > 0 && f.width % 2 == 0 && f.height % 2 == 0 && f.width <= largest_side &&
         f.height <= largest_side;
}

void wake_all(std::uint32_t& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Until the word is no longer `value`, or for `patience`, or for no reason.
void wait_while(std::uint32_t& word, std::uint32_t value, Duration patience) {
  timespec const limit{patience.count() / 1'000'000'000, patience.count() % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Mapping::~Mapping() {
  if (at_ != nullptr) ::munmap(at_, size_);
}
Mapping::Mapping(Mapping&& other) noexcept
    : at_(std::exchange(other.at_, nullptr)), size_(std::exchange(other.size_, 0)) {}
Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(at_, other.at_);
  std::swap(size_, other.size_);
  return *this;
}

Result<FramePortWriter> FramePortWriter::create(std::string path, FrameFormat format, Time now) {
  if (!valid(format))
    return fault("frame port {}: {}x{} is no size for I420; both sides must be even, 2 to {}", path,
                 format.width, format.height, largest_side);
  auto const size = file_size(format);
  auto fresh = path + ".XXXXXX";
  Descriptor const file{::mkostemp(fresh.data(), O_CLOEXEC)};
  if (file.fd() < 0)
    return fault("frame port {}: cannot make a file beside it: {}; choose a folder that this user may write",
                 path, std::strerror(errno));
  auto const give_up = [&](char const* what) {
    auto const why = std::strerror(errno);
    ::unlink(fresh.c_str());
    return fault("frame port {}: cannot {} ({} bytes): {}", path, what, size, why);
  };
  // Allocates now, so that a full memory is a fault here and not a SIGBUS while drawing.
  if (auto const error = ::posix_fallocate(file.fd(), 0, static_cast<off_t>(size)); error != 0) {
    errno = error;
    return give_up("reserve the memory");
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) return give_up("look at the file");
  auto* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (at == MAP_FAILED) return give_up("map it");
  Mapping mapping{static_cast<std::uint8_t*>(at), size};
  header(mapping) = PortHeader{PortHeader::expected_magic,
                               PortHeader::expected_version,
                               port_slots,
                               format.width,
                               format.height,
                               PortHeader::i420,
                               static_cast<std::uint32_t>(bytes_of(format)),
                               static_cast<std::uint32_t>(whole_pages(bytes_of(format))),
                               0,
                               static_cast<std::uint64_t>(::getpid()),
                               nanoseconds(now),
                               nanoseconds(now),
                               0,
                               0,
                               0};
  if (::rename(fresh.c_str(), path.c_str()) != 0) return give_up("move it to its place");
  return FramePortWriter{std::move(path), format, std::move(mapping), status.st_ino};
}

FramePortWriter::~FramePortWriter() {
  if (!mapping_) return;
  auto& h = header(mapping_);
  atomic(h.closed).store(1, std::memory_order_release);
  atomic(h.wake).fetch_add(1, std::memory_order_release);
  wake_all(h.wake);
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && status.st_ino == inode_) ::unlink(path_.c_str());
}

MutableBytes FramePortWriter::begin() {
  auto& s = slot(mapping_, published_);
  atomic(s.sequence).store(s.sequence | 1U, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  return picture(mapping_, format_, published_);
}

void FramePortWriter::publish(std::uint32_t frame_number, Time captured, Time now) {
  auto& h = header(mapping_);
  auto& s = slot(mapping_, published_);
  s.frame_number = frame_number;
  s.captured = nanoseconds(captured);
  atomic(s.sequence).store((s.sequence | 1U) + 1U, std::memory_order_release);
  atomic(h.published).store(++published_, std::memory_order_release);
  atomic(h.heartbeat).store(nanoseconds(now), std::memory_order_release);
  atomic(h.wake).fetch_add(1, std::memory_order_release);
  wake_all(h.wake);
}

void FramePortWriter::beat(Time now) {
  atomic(header(mapping_).heartbeat).store(nanoseconds(now), std::memory_order_release);
}

bool FramePortReader::open() {
  mapping_ = Mapping{};
  seen_ = 0;
  state_ = State::no_file;
  Descriptor const file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd() < 0) return false;
  state_ = State::not_a_port;
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  auto const size = static_cast<std::size_t>(status.st_size);
  if (size < pictures_at) return false;
  auto* at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (at == MAP_FAILED) return false;
  Mapping mapping{static_cast<std::uint8_t*>(at), size};
  PortHeader h;
  std::memcpy(&h, mapping.at(), sizeof h);
  FrameFormat const format{h.width, h.height};
  if (h.magic != PortHeader::expected_magic || h.version != PortHeader::expected_version ||
      h.slots != port_slots || h.pixel_format != PortHeader::i420 || !valid(format) ||
      h.frame_bytes != bytes_of(format) || h.stride != whole_pages(bytes_of(format)) ||
      size < file_size(format))
    return false;
  mapping_ = std::move(mapping);
  format_ = format;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  state_ = State::alive;
  return true;
}

bool FramePortReader::replaced() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) == 0 && (status.st_ino != inode_ || status.st_dev != device_);
}

void FramePortReader::judge(Time now) {
  auto& h = header(mapping_);
  auto const beat = atomic(h.heartbeat).load(std::memory_order_acquire);
  auto const closed = atomic(h.closed).load(std::memory_order_acquire) != 0;
  state_ = closed || nanoseconds(now) - beat > stale_after.count() ? State::writer_gone : State::alive;
}

std::optional<FrameInfo> FramePortReader::take(Buffer& into) {
  auto& h = header(mapping_);
  // A writer that laps this copy again and again has pictures to spare: the next try gets one.
  for (int tries = 0; tries < 3; ++tries) {
    auto const published = atomic(h.published).load(std::memory_order_acquire);
    if (published == seen_) return std::nullopt;
    auto& s = slot(mapping_, published - 1);
    auto const before = atomic(s.sequence).load(std::memory_order_acquire);
    if (before % 2 != 0) continue;
    FrameInfo info{format_, s.frame_number, Time{Duration{s.captured}}, published - seen_ - 1};
    auto const from = picture(mapping_, format_, published - 1);
    into.resize(from.size());
    std::memcpy(into.data(), from.data(), from.size());
    std::atomic_thread_fence(std::memory_order_acquire);
    if (atomic(s.sequence).load(std::memory_order_relaxed) != before) continue;
    if (seen_ == 0) info.missed = 0;  // what came before this reader, it did not miss
    seen_ = published;
    return info;
  }
  return std::nullopt;
}

std::optional<FrameInfo> FramePortReader::next(Buffer& into, Duration patience, Time now) {
  if (!mapping_ && !open()) return std::nullopt;
  auto& h = header(mapping_);
  auto const wake = atomic(h.wake).load(std::memory_order_acquire);
  auto info = take(into);
  if (!info && patience > Duration::zero() && atomic(h.closed).load(std::memory_order_acquire) == 0) {
    wait_while(h.wake, wake, patience);
    info = take(into);
  }
  if (info) {
    state_ = State::alive;
    return info;
  }
  judge(now);
  if (replaced() && open()) return take(into);
  return std::nullopt;
}

}  // namespace cy::media
