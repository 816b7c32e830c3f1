// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/profile_journal.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <unordered_map>

#include "base/format.h"
#include "base/own_file.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget::observe {

namespace {

constexpr char kJournalMagic[8] = {'O', 'M', 'P', 'T', 'J', 'R', 'N', '3'};
constexpr uint64_t kSegment = uint64_t{1} << 20;
constexpr uint64_t kAlignment = 16;
constexpr size_t kMostText = 4000; ///< bytes of a name
constexpr uint32_t kEventsOfBlock = 256;

/// At the file's begin.
struct Header {
  char magic[8];
  uint32_t size; ///< of the header: there the first block begins
  uint32_t event_size;
  uint64_t segment;
  int64_t pid;
  int64_t rank; ///< -1: none
  int64_t wall_ns;
  uint64_t clock_ns; ///< the profile's clock at that time
  uint64_t granularity_ns;
  std::atomic<uint64_t> used; ///< bytes from the file's begin that have blocks
  char version[128];
  char node[256];
  char program[256];
  char command[4096];
};
constexpr uint64_t kHeaderSize = (sizeof(Header) + kAlignment - 1) / kAlignment * kAlignment;

enum class BlockKind : uint32_t { kFiller, kEvents, kText, kSum };

struct Event {
  uint64_t begin_ns, end_ns, queued_ns, region, bytes, fingerprint, host;
  uint64_t name, place, reason; ///< offsets of texts in the file, or 0
  int32_t device, source_device;
  uint32_t thread, kind;
  LaunchShape shape;
  uint64_t reserved;
};

} // namespace

/// Before its bytes. All sizes are multiples of kAlignment.
struct JournalBlock {
  BlockKind kind;
  uint32_t size;              ///< with this
  std::atomic<uint32_t> used; ///< events, bytes of a text, or 1 for a sum
  uint32_t reserved;
  Event *events() { return reinterpret_cast<Event *>(this + 1); }
  char *text() { return reinterpret_cast<char *>(this + 1); }
};

/// A sum of events that are not kept. Only its numbers change.
struct JournalSum {
  Event event; ///< what they have in common
  std::atomic<uint64_t> count, total_ns, longest_ns, bytes, unchanged_count, unchanged_bytes;
};
static_assert(sizeof(JournalBlock) == kAlignment && sizeof(Event) % kAlignment == 0);

namespace {

template <size_t size> void copy_text(char (&to)[size], const std::string &text) {
  std::memcpy(to, text.data(), std::min(text.size(), size - 1));
}

Header *new_header(char *memory) {
  const ProfileSource source = own_profile_source();
  auto *const header = new (memory) Header{};
  header->size = kHeaderSize;
  header->event_size = sizeof(Event);
  header->segment = kSegment;
  header->pid = source.pid;
  header->rank = source.rank.value_or(-1);
  header->wall_ns = source.wall_ns;
  header->clock_ns = source.clock_ns;
  header->granularity_ns = profile_granularity_ns();
  copy_text(header->version, source.version);
  copy_text(header->node, source.node);
  copy_text(header->program, source.program);
  copy_text(header->command, source.command);
  header->used.store(kHeaderSize, std::memory_order_relaxed);
  std::memcpy(header->magic, kJournalMagic, sizeof kJournalMagic);
  return header;
}

/// The file. Segments stay mapped, and grow one at a time.
class Journal {
public:
  JournalBlock *add_block(BlockKind kind, uint32_t size, const std::string &path) {
    const std::lock_guard lock(mutex_);
    return add_block_locked(kind, size, path);
  }

  /// The offset of a text, 0 without a journal. copy: the text in the journal.
  uint64_t add_text(const char *text, const std::string &path, const char *&copy) {
    const std::string wanted(text, strnlen(text, kMostText));
    const std::lock_guard lock(mutex_);
    if (const auto found = texts_.find(wanted); found != texts_.end()) {
      copy = found->second.second;
      return found->second.first;
    }
    const auto size = static_cast<uint32_t>(wanted.size() + 1);
    JournalBlock *const block = add_block_locked(BlockKind::kText, size, path);
    if (!block)
      return 0;
    std::memcpy(block->text(), wanted.c_str(), size);
    block->used.store(size - 1, std::memory_order_release);
    copy = block->text();
    return texts_[wanted] = {last_block_, copy}, last_block_;
  }

  bool is_off() const { return is_off_.load(std::memory_order_relaxed); }

  void remove() {
    const std::lock_guard lock(mutex_);
    is_off_.store(true, std::memory_order_relaxed);
    if (!name_.empty())
      (void)::unlink(name_.c_str());
  }

private:
  /// A block of so many bytes behind its head. Null: no journal is written from now on.
  JournalBlock *add_block_locked(BlockKind kind, uint32_t bytes, const std::string &path) {
    if (is_off() || (!header_ && !open(path)))
      return nullptr;
    const uint64_t size = (sizeof(JournalBlock) + bytes + kAlignment - 1) / kAlignment * kAlignment;
    uint64_t offset = header_->used.load(std::memory_order_relaxed);
    if (const uint64_t left = kSegment - offset % kSegment; left < size) {
      if (left < kSegment) {
        new (segment_ + offset % kSegment) JournalBlock{BlockKind::kFiller, static_cast<uint32_t>(left), {}, 0};
        offset += left;
      }
      if (!grow())
        return nullptr;
    } else if (offset % kSegment == 0 && !grow()) {
      return nullptr;
    }
    auto *const block = new (segment_ + offset % kSegment) JournalBlock{kind, static_cast<uint32_t>(size), {}, 0};
    last_block_ = offset;
    header_->used.store(offset + size, std::memory_order_release);
    return block;
  }

  bool open(const std::string &path) {
    for (const std::string &name : {path + ".journal", path + format(".%ld.journal", static_cast<long>(::getpid()))}) {
      file_ = above_standard_files(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
      if (file_ >= 0 || errno != EEXIST) {
        name_ = name;
        break;
      }
    }
    if (file_ < 0 || !grow())
      return file_ < 0 ? stop(errno) : false;
    header_ = new_header(segment_);
    return true;
  }

  /// One more segment. Its bytes are there: a full disk is a failure now, and no signal later.
  bool grow() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size_ + kSegment)
      return stop(EFBIG);
    if (const int error = ::posix_fallocate(file_, static_cast<off_t>(size_), static_cast<off_t>(kSegment)))
      return stop(error);
    void *const memory =
        ::mmap(nullptr, kSegment, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(size_));
    if (memory == MAP_FAILED)
      return stop(errno);
    segment_ = static_cast<char *>(memory);
    size_ += kSegment;
    return true;
  }

  bool stop(int error) {
    is_off_.store(true, std::memory_order_relaxed);
    warn_about_setting(SettingId::kProfile, format("the journal '%s' cannot be written: %s; if the program is killed, "
                                                   "its profile is lost",
                                                   shown_value(name_).c_str(), std::strerror(error)));
    return false;
  }

  std::mutex mutex_;
  std::atomic<bool> is_off_{false};
  std::string name_;
  int file_ = -1;
  uint64_t size_ = 0;
  Header *header_ = nullptr;
  char *segment_ = nullptr; ///< the last one
  uint64_t last_block_ = 0;
  std::unordered_map<std::string, std::pair<uint64_t, const char *>> texts_;
};

Journal *&journal() {
  static Journal *current = new Journal; // used until the process ends
  return current;
}

/// Compares texts, as another one may lie where a module's was that has gone.
uint64_t offset_of(JournalThread &thread, const char *text, const std::string &path) {
  if (!text)
    return 0;
  JournalThread::Known &known = thread.known[reinterpret_cast<uintptr_t>(text) / 8 % JournalThread::kKnown];
  if (known.text == text && std::strncmp(known.copy, text, kMostText) == 0)
    return known.offset;
  const char *copy = nullptr;
  const uint64_t offset = journal()->add_text(text, path, copy);
  if (offset != 0)
    known = {text, copy, offset};
  return offset;
}

} // namespace

namespace {

Event journaled(const ProfileEvent &event, uint64_t name, uint64_t place, uint64_t reason) {
  return {event.begin_ns,
          event.end_ns,
          event.queued_ns,
          event.region,
          event.bytes,
          event.fingerprint,
          reinterpret_cast<uintptr_t>(event.host),
          name,
          place,
          reason,
          event.device,
          event.source_device,
          event.thread,
          static_cast<uint32_t>(event.kind),
          event.shape,
          0};
}

} // namespace

void journal_event(JournalThread &thread, const ProfileEvent &event, const std::string &path) {
  if (journal()->is_off())
    return;
  if (!thread.block || thread.block->used.load(std::memory_order_relaxed) == kEventsOfBlock)
    thread.block = journal()->add_block(BlockKind::kEvents, kEventsOfBlock * sizeof(Event), path);
  if (!thread.block)
    return;
  const Event copy = journaled(event, offset_of(thread, event.name, path), offset_of(thread, event.place, path),
                               offset_of(thread, event.reason, path));
  const uint32_t used = thread.block->used.load(std::memory_order_relaxed);
  thread.block->events()[used] = copy;
  thread.block->used.store(used + 1, std::memory_order_release);
}

JournalSum *journal_sum(const EventSum &sum, const std::string &path) {
  const auto offset = [&](const char *text) {
    const char *copy = nullptr;
    return text ? journal()->add_text(text, path, copy) : 0;
  };
  const ProfileEvent &event = sum.event;
  const Event common = journaled(event, offset(event.name), offset(event.place), offset(event.reason));
  JournalBlock *const block = journal()->add_block(BlockKind::kSum, sizeof(JournalSum), path);
  if (!block)
    return nullptr;
  auto *const place = new (block + 1) JournalSum{common, {}, {}, {}, {}, {}, {}};
  block->used.store(1, std::memory_order_release);
  return place;
}

void update_journal_sum(JournalSum &place, const EventSum &sum) {
  place.total_ns.store(sum.total_ns, std::memory_order_relaxed);
  place.longest_ns.store(sum.longest_ns, std::memory_order_relaxed);
  place.bytes.store(sum.bytes, std::memory_order_relaxed);
  place.unchanged_count.store(sum.unchanged_count, std::memory_order_relaxed);
  place.unchanged_bytes.store(sum.unchanged_bytes, std::memory_order_relaxed);
  place.count.store(sum.count, std::memory_order_relaxed);
}

void remove_journal() { journal()->remove(); }

void leave_journal_to_parent() { journal() = new Journal; }

// ---- Reading

namespace {

class JournalReader {
public:
  JournalReader(const std::string &contents, const char *path) : contents_(contents), path_(path) {}

  Result<ReadJournal> read() {
    OMPTARGET_TRY(read_header());
    uint64_t offset = header_.size;
    const uint64_t end = std::min<uint64_t>(header_used_, contents_.size());
    while (offset + sizeof(Block) <= end) {
      Block block;
      std::memcpy(&block, contents_.data() + offset, sizeof block);
      if (block.size < sizeof(Block) || block.size % kAlignment != 0 || block.size > contents_.size() - offset)
        return damaged("the block at byte %llu has %u bytes", static_cast<unsigned long long>(offset), block.size);
      if (block.kind == static_cast<uint32_t>(BlockKind::kEvents))
        OMPTARGET_TRY(read_events(block, offset + sizeof(Block)));
      else if (block.kind == static_cast<uint32_t>(BlockKind::kSum))
        OMPTARGET_TRY(read_sum(block, offset + sizeof(Block)));
      else if (block.kind > static_cast<uint32_t>(BlockKind::kSum))
        return damaged("the block at byte %llu has kind %u", static_cast<unsigned long long>(offset), block.kind);
      offset += block.size;
    }
    std::ranges::stable_sort(result_.profile.events, {}, &ProfileEvent::begin_ns);
    return std::move(result_);
  }

private:
  struct Block {
    uint32_t kind, size, used, reserved;
  };
  struct Numbers { ///< those of Header, without what is atomic
    char magic[8];
    uint32_t size, event_size;
    uint64_t segment;
    int64_t pid, rank, wall_ns;
    uint64_t clock_ns, granularity_ns, used;
  };
  static_assert(sizeof(Numbers) == offsetof(Header, version));

  [[gnu::format(printf, 2, 3)]] Status damaged(const char *pattern, ...) const {
    va_list arguments;
    va_start(arguments, pattern);
    const std::string text = format_arguments(pattern, arguments);
    va_end(arguments);
    return Status::error(format("%s: the journal is damaged: %s", path_, text.c_str()));
  }

  std::string text_at(size_t offset, size_t size) const {
    return std::string(contents_.data() + offset, strnlen(contents_.data() + offset, size));
  }

  Status read_header() {
    if (contents_.size() < kHeaderSize || std::memcmp(contents_.data(), kJournalMagic, sizeof kJournalMagic) != 0)
      return Status::error(format("%s is no journal of a profile, or one of another version of omptarget", path_));
    std::memcpy(&header_, contents_.data(), sizeof header_);
    header_used_ = header_.used;
    if (header_.size != kHeaderSize || header_.event_size != sizeof(Event) || header_.segment != kSegment)
      return Status::error(format("%s: the journal is of another version of omptarget", path_));
    ProfileSource &source = result_.source;
    source.pid = header_.pid;
    if (header_.rank >= 0)
      source.rank = header_.rank;
    source.wall_ns = header_.wall_ns;
    source.clock_ns = header_.clock_ns;
    source.version = text_at(offsetof(Header, version), sizeof Header::version);
    source.node = text_at(offsetof(Header, node), sizeof Header::node);
    source.program = text_at(offsetof(Header, program), sizeof Header::program);
    source.command = text_at(offsetof(Header, command), sizeof Header::command);
    result_.profile.granularity_ns = header_.granularity_ns;
    return Status::ok();
  }

  Status read_events(const Block &block, uint64_t offset) {
    if (block.used > (block.size - sizeof(Block)) / sizeof(Event))
      return damaged("%u events in a block of %u bytes", block.used, block.size);
    for (uint32_t i = 0; i < block.used; ++i, offset += sizeof(Event)) {
      ProfileEvent event{};
      OMPTARGET_TRY(read_event(offset, event));
      result_.profile.events.push_back(event);
    }
    return Status::ok();
  }

  Status read_sum(const Block &block, uint64_t offset) {
    if (block.used == 0) // the process ended before it was written
      return Status::ok();
    struct Numbers {
      Event event;
      EventTotals totals;
    } numbers;
    static_assert(sizeof numbers == sizeof(JournalSum));
    if (block.size < sizeof block + sizeof numbers)
      return damaged("a sum in a block of %u bytes", block.size);
    std::memcpy(&numbers, contents_.data() + offset, sizeof numbers);
    EventSum sum{numbers.totals, {}};
    OMPTARGET_TRY(read_event(offset, sum.event));
    constexpr uint64_t kMost = uint64_t{1} << 48; // no process lives so long
    if (sum.count > kMost)
      return damaged("the sum at byte %llu makes no sense", static_cast<unsigned long long>(offset));
    if (sum.count != 0)
      result_.profile.sums.push_back(sum);
    return Status::ok();
  }

  Status read_event(uint64_t offset, ProfileEvent &told) {
    Event event;
    std::memcpy(&event, contents_.data() + offset, sizeof event);
    if (event.kind < static_cast<uint32_t>(EventKind::kTarget) ||
        event.kind > static_cast<uint32_t>(EventKind::kHostFallback) || event.end_ns < event.begin_ns)
      return damaged("the event at byte %llu makes no sense", static_cast<unsigned long long>(offset));
    told.begin_ns = event.begin_ns;
    told.end_ns = event.end_ns;
    told.queued_ns = event.queued_ns;
    told.region = event.region;
    told.bytes = event.bytes;
    told.fingerprint = event.fingerprint;
    told.host = reinterpret_cast<const void *>(event.host);
    told.device = event.device;
    told.source_device = event.source_device;
    told.thread = event.thread;
    told.shape = event.shape;
    told.kind = static_cast<EventKind>(event.kind);
    for (const auto &[to, at] :
         {std::pair{&told.name, event.name}, {&told.place, event.place}, {&told.reason, event.reason}})
      OMPTARGET_TRY(read_text(at, *to));
    return Status::ok();
  }

  Status read_text(uint64_t offset, const char *&text) {
    if (offset == 0)
      return Status::ok();
    if (const auto known = texts_.find(offset); known != texts_.end()) {
      text = known->second;
      return Status::ok();
    }
    Block block{};
    if (offset < contents_.size() && contents_.size() - offset > sizeof block)
      std::memcpy(&block, contents_.data() + offset, sizeof block);
    if (block.kind != static_cast<uint32_t>(BlockKind::kText) || block.used > kMostText ||
        block.used > contents_.size() - offset - sizeof block)
      return damaged("there is no text at byte %llu", static_cast<unsigned long long>(offset));
    result_.texts.emplace_back(contents_.data() + offset + sizeof block, block.used);
    text = texts_[offset] = result_.texts.back().c_str();
    return Status::ok();
  }

  const std::string &contents_;
  const char *const path_;
  Numbers header_{};
  uint64_t header_used_ = 0;
  std::map<uint64_t, const char *> texts_;
  ReadJournal result_;
};

} // namespace

Result<ReadJournal> read_journal(const std::string &contents, const char *path) {
  return JournalReader(contents, path).read();
}

} // namespace omptarget::observe
