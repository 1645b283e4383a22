// Storage of a thread: how long it lives, and who sees it.
#include "ir/base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

namespace frit {
namespace {

std::atomic<int> alive{0};

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int value = 0;
};

TEST(PerThread, IsFreedAsItsThreadEnds) {
  std::thread([] {
    PerThread<Counted>::get().value = 3;
    EXPECT_EQ(PerThread<Counted>::get().value, 3);
    EXPECT_EQ(alive, 1);
  }).join();
  EXPECT_EQ(alive, 0);
}

TEST(PerThread, ThreadsHaveTheirOwn) {
  PerThread<Counted>::get().value = 1;
  std::thread([] { EXPECT_EQ(PerThread<Counted>::get().value, 0); }).join();
  EXPECT_EQ(PerThread<Counted>::get().value, 1);
}

// A destructor of the thread that runs after the one which freed the object gets a new one.
struct Late {
  std::string text;
};
struct LastUse {
  std::string* seen;
  ~LastUse() {
    *seen = PerThread<Late>::get().text;
    PerThread<Late>::get().text = "again";
    *seen += PerThread<Late>::get().text;
    delete &PerThread<Late>::get();  // the process would keep it
  }
};

TEST(PerThread, CanBeUsedAfterTheThreadsDestructors) {
  std::string seen = "unset";
  std::thread([&seen] {
    thread_local LastUse last{&seen};  // constructed first, so destroyed last
    (void)last;
    PerThread<Late>::get().text = "early";
  }).join();
  EXPECT_EQ(seen, "again");
}

// The main thread's are gone when the handlers of exit run.
TEST(PerThreadDeathTest, CanBeUsedByAHandlerOfExit) {
  auto run = [] {
    PerThread<Late>::get().text = "early";
    std::atexit([] { std::_Exit(PerThread<Late>::get().text.empty() ? 7 : 8); });
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace frit
