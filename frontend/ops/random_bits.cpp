// Random bits by position, and the sequence of keys.
//
// A draw of n words has n/2 counters (j, n/2 + j) with one word of the first half and one of the second each. In a draw
// of an odd number the word between the halves has the counter (n/2, 0), and the second half begins behind it. Narrower
// numbers are cut from the words, low bytes first.
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "frontend/core/log.h"
#include "frontend/core/random_key.h"
#include "frontend/frit/random.h"
#include "frontend/frit/random_threads.h"
#include "frontend/ops/composed.h"
#include "frontend/ops/threefry.h"

namespace frit {

namespace detail {

namespace {

// The position of each element in row-major order, modulo 2^32. A sum over the axes and not one long axis: no reshape
// then stands between the bits and what uses them.
array positions(const ir::Dims& sizes) {
  if (sizes.empty()) return array(uint32_t{0});
  std::optional<array> sum;
  Dim step = 1;
  for (size_t axis = sizes.size(); axis-- > 0; step = step * sizes[axis]) {
    if (sizes[axis].is(1) && sizes.size() > 1) continue;
    const array part = make(
        "iota", {}, {{"shape", sizes}, {"axis", Dim(static_cast<int>(axis))}, {"dtype", uint32}, {"step", step}}, {});
    sum = sum ? add(part, *sum) : part;
  }
  return sum ? *sum : stretch(array(uint32_t{0}), sizes, {});
}

}  // namespace

array random_bits(const array& key, const ir::Dims& sizes, int width) {
  Dim count = 1;
  for (const Dim& d : sizes) count = count * d;
  const Dim words = width == 4 ? count : ceil_div(count, Dim(4 / width));
  const Dim half = floor_div(words, Dim(2)), rest = words - half;
  const array position = positions(sizes);
  const uint32_t numbers_in_word = 4 / static_cast<uint32_t>(width), shift = numbers_in_word / 2;
  const array word = shift ? right_shift(position, array(shift)) : position;
  const array first = size_value(half, uint32, {}), second = size_value(rest, uint32, {});
  const array is_second = greater_equal(word, second);
  const array low = where(is_second, subtract(word, second), word);
  const array is_middle = logical_and(greater_equal(word, first), logical_not(is_second));
  const array high = where(is_middle, array(uint32_t{0}), add(low, second));
  const auto part = [&](int i) { return reshape(take_range(key, 0, i, i + 1, {}), {}); };
  const auto [x, y] = threefry2x32(low, high, part(0), part(1));
  array bits = where(is_second, y, x);
  if (width != 4) {
    const array place = bitwise_and(position, array(numbers_in_word - 1));
    bits = astype(right_shift(bits, multiply(place, array(static_cast<uint32_t>(8 * width)))),
                  width == 2 ? uint16 : uint8);
  }
  return bits;
}

}  // namespace detail

namespace random {

using detail::mutex_of_keys;

namespace {
// Logs once for each name of a function that its draws are part of the code. Under the mutex of keys.
void tell_repeated(const std::string& function) {
  if (!detail::logs(detail::Topic::Random)) return;
  static std::set<std::string> told;
  if (told.insert(function).second)
    detail::log(detail::Topic::Random, function +
                                           ": its random numbers are drawn once, while it is traced, and are the "
                                           "same at every call; add random::state() to its captured inputs and "
                                           "outputs to draw anew");
}
}  // namespace

KeySequence::KeySequence(uint64_t seed) : key_(key(seed)) {}

void KeySequence::seed(uint64_t seed) {
  const array fresh = key(seed);
  const std::lock_guard<std::mutex> guard(mutex_of_keys());
  key_ = fresh;
}

array KeySequence::next() {
  const std::lock_guard<std::mutex> guard(mutex_of_keys());
  if (detail::compiled_function() && !key_.is_tracer()) tell_repeated(*detail::compiled_function());
  if (key_.is_tracer() || !detail::node_of(key_)->is_ready()) {
    const auto [rest, drawn] = random::split(key_);
    key_ = rest;
    return drawn;
  }
  // The same numbers as split gives, computed here: no graph grows from key to key.
  const uint32_t* k = key_.data<uint32_t>();
  const auto [a, c] = detail::threefry2x32<uint32_t>(0, 2, k[0], k[1]);
  const auto [b, d] = detail::threefry2x32<uint32_t>(1, 3, k[0], k[1]);
  key_ = array({a, b});
  return array({c, d});
}

namespace {

std::atomic<bool> keys_per_thread{false};

// By the clock. Threads that start in one millisecond differ, too.
uint64_t fresh_seed() {
  static std::atomic<uint64_t> sequences{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  return static_cast<uint64_t>(now) + (sequences++ << 48);
}

}  // namespace

KeySequence& KeySequence::default_() {
  if (keys_per_thread.load(std::memory_order_relaxed)) {
    thread_local KeySequence own(fresh_seed());
    return own;
  }
  static KeySequence shared(fresh_seed());
  return shared;
}

void keep_state_per_thread() { keys_per_thread = true; }

}  // namespace random
}  // namespace frit
