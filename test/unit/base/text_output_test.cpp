// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/text_output.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace omptarget {
namespace {

TEST(TextOutput, what_a_terminal_would_obey_is_made_visible) {
  EXPECT_EQ(printable("plain text, 100%"), "plain text, 100%");
  EXPECT_EQ(printable("\x1b[2J\x1b]0;title\x07"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\rb\x7f"), "a\\x0d"
                                   "b\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "CSI as one character of Latin-1";
}

TEST(TextOutput, letters_of_all_languages_stay_and_broken_ones_do_not) {
  EXPECT_EQ(printable("größe_λ_\xf0\x9f\x98\x80"), "größe_λ_\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x9b\xff"), "\\x9b\\xff");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80") << "an overlong NUL";
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past the last character";
}

TEST(TextOutput, a_text_cannot_begin_another_line) {
  EXPECT_EQ(printable("x\nomptarget fatal error"), "x\n  omptarget fatal error");
  EXPECT_EQ(printable("a\tb"), "a\tb");
  EXPECT_EQ(printable_name("a\tb\nc"), "a\\x09"
                                       "b\\x0a"
                                       "c");
}

/// A pipe of one page whose reader is slow, and a thread that is interrupted all the time.
TEST(TextOutput, interrupted_and_short_writes_are_no_failures) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  fcntl(ends[0], F_SETPIPE_SZ, 4096);
  const std::string text(300000, 'x');
  std::atomic<bool> is_done{false};
  bool is_written = false;
  std::thread writer([&] {
    is_written = write_all(ends[1], text);
    close(ends[1]);
    is_done = true;
  });
  const pthread_t thread = writer.native_handle();
  size_t count = 0;
  char buffer[1000];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0; count += static_cast<size_t>(got))
    if (!is_done)
      pthread_kill(thread, SIGUSR1);
  writer.join();
  close(ends[0]);
  EXPECT_TRUE(is_written);
  EXPECT_EQ(count, text.size());
  EXPECT_FALSE(write_all(-1, text));
}

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

/// SIGPIPE blocked while it lives.
class PipeSignalBlocked {
public:
  PipeSignalBlocked() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  PipeSignalBlocked(const PipeSignalBlocked &) = delete;
  PipeSignalBlocked &operator=(const PipeSignalBlocked &) = delete;
  ~PipeSignalBlocked() {
    const timespec now{};
    (void)sigtimedwait(&set_, nullptr, &now);
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }

private:
  sigset_t set_;
};

TEST(TextOutput, a_reader_that_has_left_sends_no_signal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_FALSE(write_all(ends[1], "x"));
  EXPECT_EQ(errno, EPIPE);
  {
    const PipeSignalBlocked blocked;
    EXPECT_FALSE(write_all(ends[1], "x"));
    EXPECT_FALSE(is_pending(SIGPIPE)) << "what the program has not caused must not wait for it";
    pthread_kill(pthread_self(), SIGPIPE);
    EXPECT_FALSE(write_all(ends[1], "x"));
    EXPECT_TRUE(is_pending(SIGPIPE)) << "the program's own is taken away";
  }
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGPIPE) || sigismember(&blocked, SIGXFSZ));
  close(ends[1]);
}

TEST(TextOutput, a_limit_of_the_size_sends_no_signal) {
  std::FILE *const file = std::tmpfile();
  ASSERT_TRUE(file);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit few{4, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  EXPECT_FALSE(write_all(fileno(file), "123456"));
  EXPECT_EQ(errno, EFBIG);
  setrlimit(RLIMIT_FSIZE, &before);
  char text[8] = "";
  EXPECT_EQ(pread(fileno(file), text, sizeof text, 0), 4);
  EXPECT_STREQ(text, "1234");
  std::fclose(file);
}

TEST(ShownValue, long_ones_end_with_their_length) {
  EXPECT_EQ(shown_value("numa"), "numa");
  EXPECT_EQ(shown_value(std::string(1000, 'x')), std::string(1000, 'x'));
  EXPECT_EQ(shown_value(std::string(100000, 'x')), std::string(100, 'x') + "... (100000 characters)");
}

} // namespace
} // namespace omptarget
