// Members and overloads that programs written for MLX use: of arrays, element types, devices, streams and operations.
#include <sys/resource.h>

#include <set>
#include <thread>
#include <typeinfo>

#include "helpers.h"

using namespace frit;

TEST(Members, LikeTakesADtypeAndAScalar) {
  const array a({1, 2, 3}, {3});
  EXPECT_EQ(zeros_like(a, float16).dtype(), float16);
  EXPECT_EQ(values<float>(ones_like(a, float32)), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(values<int>(full_like(a, 7)), (std::vector<int>{7, 7, 7}));
  EXPECT_EQ(full_like(a, 2.5f).dtype(), int32);
  EXPECT_EQ(values<float>(full_like(a, 2.5, float32)), (std::vector<float>{2.5f, 2.5f, 2.5f}));
  EXPECT_EQ(values<int>(full_like(a, array({4, 5, 6}))), (std::vector<int>{4, 5, 6}));
}

TEST(Members, LinspaceWithoutItsEnd) {
  EXPECT_EQ(values<float>(linspace(0, 1, 4, false)), (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(values<float>(linspace(0, 1, 5, true)), values<float>(linspace(0, 1, 5)));
  EXPECT_EQ(linspace(0, 1, 0, false).shape(), (Shape{0}));
  EXPECT_EQ(linspace(0, 1, 4, false, float64).dtype(), float64);
  EXPECT_THROW(linspace(0, 1, -1, false), InvalidArgument);
  EXPECT_THROW(linspace(0, 1, -1), InvalidArgument);
}

TEST(Members, SliceTakesListsAndArrays) {
  const array x = reshape(arange(12), {3, 4});
  EXPECT_EQ(values<int>(slice(x, {0, 1}, {2, 3})), (std::vector<int>{1, 2, 5, 6}));
  EXPECT_EQ(values<int>(slice(x, {0, 0}, {3, 4}, {2, 3})), (std::vector<int>{0, 3, 8, 11}));
  EXPECT_EQ(values<int>(slice(arange(4), {3}, {-5}, {-1})), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(slice(array(1), {}, {}).ndim(), 0u);
  EXPECT_EQ(values<int>(slice(x, array({1, 2}), {0, 1}, {2, 2})), (std::vector<int>{6, 7, 10, 11}));
  EXPECT_EQ(values<int>(slice(x, array({1}), {1}, {3, 2})), (std::vector<int>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(values<int>(slice(x, array(2), {0}, {1, 4})), (std::vector<int>{8, 9, 10, 11}));
  // A window past the end is moved inside.
  EXPECT_EQ(values<int>(slice(x, array({9}), {0}, {1, 4})), (std::vector<int>{8, 9, 10, 11}));
  EXPECT_THROW(slice(x, array({1, 2}), {0}, {1, 4}), std::invalid_argument);
  EXPECT_THROW(slice(x, array({1.5f}), {0}, {1, 4}), std::invalid_argument);
  auto f = compile([&](array at) { return slice(x, at, {0}, {1, 4}); });
  EXPECT_EQ(values<int>(f(array({1}))), (std::vector<int>{4, 5, 6, 7}));
}

TEST(Members, DevicesAndStreamsAreOrdered) {
  EXPECT_LT(Device(Device::cpu), Device(Device::gpu));
  EXPECT_LT(Device(Device::cpu, 0), Device(Device::cpu, 1));
  EXPECT_LT(Stream(0, Device::gpu), Stream(1, Device::cpu));
  EXPECT_EQ((std::set<Stream>{Stream(1, Device()), Stream(1, Device()), Stream(2, Device())}.size()), 2u);
  EXPECT_TRUE(Device(Device::gpu) == Device::gpu);
}

TEST(Members, Streams) {
  const Stream s = new_stream(Device::cpu);
  EXPECT_EQ(to_stream(StreamOrDevice(s), Device::cpu), s);
  EXPECT_EQ(to_stream(StreamOrDevice(), Device::cpu), default_stream(Device::cpu));
  EXPECT_EQ(get_stream(s.index), s);
  const std::vector<Stream> all = get_streams();
  EXPECT_EQ(all.front().index, 0);
  EXPECT_NE(std::find(all.begin(), all.end(), s), all.end());
  synchronize(s);
  set_default_stream(s);
  clear_streams();
  EXPECT_EQ(get_streams().size(), 1u);
  EXPECT_EQ(default_stream(Device::cpu).index, 0);
  EXPECT_THROW(synchronize(s), std::invalid_argument);
  EXPECT_THROW(get_stream(s.index), std::invalid_argument);
  EXPECT_GT(new_stream(Device::cpu).index, s.index);
}

TEST(Members, ThreadLocalStreamsDifferByThread) {
  const ThreadLocalStream tls = new_thread_local_stream(Device::cpu);
  const Stream here = stream_from_thread_local_stream(tls);
  EXPECT_EQ(stream_from_thread_local_stream(tls), here);
  EXPECT_EQ(to_stream(tls), here);
  Stream there;
  std::thread([&] { there = stream_from_thread_local_stream(tls); }).join();
  EXPECT_NE(there, here);
  synchronize(tls);
  EXPECT_EQ(add(array(1), array(2), tls).item<int>(), 3);
}

TEST(Members, WhatIsAvailable) {
  EXPECT_FALSE(metal::is_available());
  EXPECT_FALSE(cu::is_available());
  EXPECT_EQ(gpu::is_available(), is_available(Device::gpu));
  EXPECT_EQ(gpu::device_count(), device_count(Device::gpu));
}

TEST(Members, AsyncEvalWithoutThreadsEvaluatesHere) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's shadow memory is past every limit";
#endif
  const array x({1.0f, 2.0f});
  array warm = x + x;  // its code is there before memory becomes short
  eval(warm);
  array y = x + warm;
  const Stream s = new_stream(Device::cpu);
  const StreamContext scope(s);
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const rlimit none{1 << 20, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);  // no stack for another thread
  std::string said;
  try {
    async_eval(y);
  } catch (const std::exception& e) {
    said = e.what();
  }
  setrlimit(RLIMIT_AS, &old);
  EXPECT_EQ(said, "");
  synchronize(s);
  EXPECT_EQ(values<float>(y), (std::vector<float>{3, 6}));
  array z = y + x;
  async_eval(z);
  EXPECT_EQ(values<float>(z), (std::vector<float>{4, 8}));
}

TEST(Members, TypesOfResults) {
  EXPECT_EQ(result_type(array(1), array(1.0f)), float32);
  EXPECT_EQ(result_type(array(true), array(uint8_t{1}), array(int8_t{1})), int16);
  EXPECT_FALSE(issubdtype(floating, float32));
  EXPECT_TRUE(issubdtype(float32, floating));
  EXPECT_TRUE(issubdtype(floating, inexact));
}

TEST(Members, LimitsOfTypes) {
  EXPECT_EQ(finfo(float16).max, 65504.0);
  EXPECT_EQ(finfo(float16).smallest_normal, 0x1p-14);
  EXPECT_EQ(finfo(bfloat16).eps, 0x1p-7);
  EXPECT_EQ(finfo(float32).max, static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(finfo(float32).eps, static_cast<double>(std::numeric_limits<float>::epsilon()));
  EXPECT_EQ(finfo(float64).min, std::numeric_limits<double>::lowest());
  EXPECT_EQ(finfo(float64).smallest_normal, std::numeric_limits<double>::min());
  EXPECT_EQ(finfo(complex64).max, finfo(float32).max);
  EXPECT_EQ(finfo(bfloat16).bits, 16);
  EXPECT_EQ(iinfo(int8).min, -128);
  EXPECT_EQ(iinfo(int64).min, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(iinfo(uint64).max, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(iinfo(uint16).min, 0);
  EXPECT_THROW(finfo{int32}, std::invalid_argument);
  EXPECT_THROW(iinfo{bool_}, std::invalid_argument);
  EXPECT_THROW(iinfo{float32}, std::invalid_argument);
}

TEST(Members, AxesFromTheEnd) {
  EXPECT_EQ(normalize_axis_index(-1, 3), 2);
  EXPECT_EQ(normalize_axis_index(0, 3), 0);
  EXPECT_TRUE(contains(thrown<OutOfRange>([] { normalize_axis_index(3, 3, "[mine] "); }), "[mine] axis 3"));
  EXPECT_THROW(normalize_axis_index(-4, 3), std::out_of_range);
}

TEST(Members, MemoryOfUsers) {
  // The code of the sum is there before memory is counted: it may displace code that other tests left in the cache.
  const auto twice = [](const array& a) { return values<float>(a + a); };
  twice(array({1.0f, 2.0f}));
  const size_t before = get_active_memory();
  {
    allocator::Buffer buffer = allocator::malloc(2 * sizeof(float));
    static_cast<float*>(buffer.raw_ptr())[0] = 1;
    static_cast<float*>(buffer.raw_ptr())[1] = 2;
    EXPECT_GT(get_active_memory(), before);
    const array a(buffer, {2}, float32);
    EXPECT_EQ(a.buffer().ptr(), buffer.ptr());
    EXPECT_EQ(twice(a), (std::vector<float>{2, 4}));
    allocator::Data data = allocator::malloc(8);
    EXPECT_TRUE(data.is_owned());
    static_cast<int*>(data.raw_ptr())[1] = 5;
    EXPECT_EQ(array(std::move(data), {2}, int32).data<int>()[1], 5);
    auto given = allocator::malloc(8);
    allocator::free(given);
    EXPECT_EQ(given.ptr(), nullptr);
  }
  EXPECT_EQ(get_active_memory(), before);
  allocator::Buffer other = allocator::malloc(0);
  EXPECT_NE(other.raw_ptr(), nullptr);
  allocator::free(other);
  allocator::free(allocator::Buffer(nullptr));
  EXPECT_EQ(allocator::Buffer(nullptr).raw_ptr(), nullptr);
}

// A block over a program's own memory is shared by arrays, and stays the program's.
TEST(Members, MemoryOfTheProgramItself) {
  alignas(64) float own[4] = {1, 2, 3, 4};
  EXPECT_TRUE(allocator::can_reuse_alien_buffer(own));
  EXPECT_FALSE(allocator::can_reuse_alien_buffer(nullptr));
  allocator::Allocator& pool = allocator::allocator();
  EXPECT_EQ(&pool, &allocator::allocator());
  {
    allocator::Buffer block = allocator::make_buffer(own, sizeof(own));
    EXPECT_EQ(block.raw_ptr(), own);
    EXPECT_EQ(pool.size(block), sizeof(own));
    const array a(block, {4}, float32, allocator::release);
    EXPECT_EQ(a.data<float>(), own);
    EXPECT_EQ(values<float>(a * array(2.0f)), (std::vector<float>{2, 4, 6, 8}));
  }
  EXPECT_EQ(own[3], 4);
  allocator::Buffer block = pool.malloc(100);
  EXPECT_GE(pool.size(block), 100u);
  pool.free(block);
  allocator::release(allocator::make_buffer(nullptr, 8));
}

TEST(Members, ThreadPoolsRunTasks) {
  for (size_t threads : {0, 1, 3}) {
    std::vector<std::future<int>> results;
    {
      io::ThreadPool pool(threads);
      for (int i = 0; i < 50; ++i) results.push_back(pool.enqueue([](int a, int b) { return a * b; }, i, 2));
    }
    for (int i = 0; i < 50; ++i) EXPECT_EQ(results[static_cast<size_t>(i)].get(), 2 * i);
  }
  auto failing = io::thread_pool().enqueue([]() -> int { throw std::out_of_range("mine"); });
  EXPECT_THROW(failing.get(), std::out_of_range);
}

TEST(Members, IteratorsMoveByNumbers) {
  const array x = reshape(arange(6), {3, 2});
  EXPECT_EQ(values<int>(*(x.begin() + 1)), (std::vector<int>{2, 3}));
  EXPECT_EQ(values<int>(*(x.end() - 1)), (std::vector<int>{4, 5}));
  EXPECT_EQ(values<int>(x.begin()[2]), (std::vector<int>{4, 5}));
  EXPECT_EQ(x.end() - x.begin(), 3);
  EXPECT_EQ(std::distance(x.begin(), x.end()), 3);
  EXPECT_LT(x.begin(), x.end());
  array::Iterator i = x.begin();
  i += 2;
  EXPECT_EQ(values<int>(*--i), (std::vector<int>{2, 3}));
  EXPECT_EQ(std::vector<array>(x.begin(), x.end()).size(), 3u);
}

TEST(Members, TheOperationBehindAnArray) {
  array a({1, 2}), b({3, 4});
  array c = a + b;
  array d = c * a;
  EXPECT_FALSE(a.has_primitive());
  EXPECT_THROW(a.primitive(), std::invalid_argument);
  EXPECT_TRUE(d.has_primitive());
  EXPECT_STREQ(d.primitive().name(), "multiply");
  EXPECT_STREQ(c.primitive().name(), "add");
  ASSERT_EQ(d.inputs().size(), 2u);
  EXPECT_EQ(d.inputs()[0].id(), c.id());
  EXPECT_EQ(a.graph_depth(), 0u);
  EXPECT_EQ(d.graph_depth(), 2u);
  EXPECT_FALSE(d.is_tracer());
  EXPECT_TRUE(d.siblings().empty());
  eval(d);
  EXPECT_FALSE(d.has_primitive());
  EXPECT_TRUE(d.inputs().empty());
  EXPECT_EQ(d.graph_depth(), 0u);
  EXPECT_EQ(d.primitive_id(), 0u);
}

TEST(Members, ResultsOfOneOperationAreSiblings) {
  auto f = compile([](array x) { return std::vector<array>{x + x, x * x, x - x}; }, {.name = "three"});
  std::vector<array> r = f(array({1, 2}));
  EXPECT_STREQ(r[1].primitive().name(), "three");
  ASSERT_EQ(r[1].siblings().size(), 2u);
  EXPECT_EQ(r[1].siblings()[0].id(), r[0].id());
  EXPECT_EQ(r[1].outputs()[1].id(), r[1].id());
  EXPECT_EQ(r[2].sibling_position(), 2);
  EXPECT_EQ(r[0].primitive_id(), r[2].primitive_id());
}

TEST(Members, SiblingsAreThoseOfTheOperation) {
  auto f = compile([](array x) { return std::vector<array>{x + x, x * x}; });
  std::vector<array> r = f(array({1, 2}));
  r[1].set_siblings({r[0]}, 1);
  EXPECT_THROW(r[1].set_siblings({r[0]}, 0), std::invalid_argument);
  EXPECT_THROW(r[1].set_siblings({r[1]}, 1), std::invalid_argument);
  EXPECT_THROW(r[0].set_siblings({}, 0), std::invalid_argument);
  array({1}).set_siblings({}, 0);
}

TEST(Members, StatusIsReachedByWork) {
  const array x({1, 2});
  array y = x + x;
  y.set_status(array::unscheduled);
  EXPECT_EQ(y.status(), array::unscheduled);
  y.set_status(array::evaluated);
  EXPECT_NE(y.status(), array::unscheduled);
  EXPECT_THROW(y.set_status(array::unscheduled), std::invalid_argument);
  y.set_status(array::available);
  EXPECT_TRUE(y.is_available());
  y.set_tracer(false);
  EXPECT_THROW(y.set_tracer(true), std::invalid_argument);
  compile([](array t) {
    t.set_tracer(true);
    EXPECT_THROW(t.set_tracer(false), std::invalid_argument);
    return t + t;
  })(x);
}

TEST(Members, EventsWaitForArrays) {
  const array x({1, 2});
  array y = x + x;
  const Event event = y.event();
  EXPECT_TRUE(event.valid());
  EXPECT_FALSE(event.is_signaled());
  EXPECT_EQ(event.stream().device, Device(Device::cpu));
  array z = y * y;
  z.attach_event(event);
  EXPECT_TRUE(event.is_signaled());
  EXPECT_EQ(z.status(), array::unscheduled);
  z.detach_event();
  EXPECT_EQ(values<int>(z), (std::vector<int>{4, 16}));
  EXPECT_FALSE(Event().valid());
  Event().wait();
  EXPECT_THROW(Event().stream(), std::runtime_error);
}

TEST(Members, OperationsHaveTypesAndStreams) {
  array a({1, 2});
  array sum = a + a;
  EXPECT_TRUE(typeid(sum.primitive()) != typeid(Compiled));
  EXPECT_EQ(sum.primitive().device(), Device(Device::cpu));
  EXPECT_EQ(sum.primitive().stream().device, Device(Device::cpu));
  auto f = compile([](array x) { return x * x + x; }, {.name = "quadratic"});
  array y = f(a);
  EXPECT_TRUE(typeid(y.primitive()) == typeid(Compiled));
  const std::shared_ptr<Primitive> kept = y.primitive_ptr();
  EXPECT_EQ(kept.get(), &y.primitive());
  eval(y, sum);
  EXPECT_STREQ(kept->name(), "quadratic");
  EXPECT_EQ(y.primitive_ptr(), nullptr);
}

TEST(Members, ViewsShareABlockOfMemory) {
  const array x = reshape(arange(12), {3, 4});
  EXPECT_EQ(x.data_shared_ptr(), nullptr);
  x.eval();
  const array row = slice(x, {1, 0}, {2, 4});
  row.eval();
  EXPECT_EQ(row.buffer().ptr(), x.buffer().ptr());
  EXPECT_EQ(row.data_shared_ptr(), x.data_shared_ptr());
  EXPECT_EQ(row.offset(), 16);
  EXPECT_EQ(x.offset(), 0);
  EXPECT_EQ(static_cast<const int*>(x.buffer().raw_ptr()) + 4, row.data<int>());
  EXPECT_GE(x.buffer_size(), x.nbytes());
  EXPECT_EQ(get_array_buffer_size({x, row}), x.buffer_size());
  EXPECT_THROW(get_array_buffer_size({x + x}), std::invalid_argument);
}

TEST(Members, ValuesThatNobodySharesMayBeDonated) {
  array x = array({1, 2, 3}) + array({1, 1, 1});
  EXPECT_FALSE(x.is_donatable());
  eval(x);
  EXPECT_TRUE(x.is_donatable());
  {
    const array handle = x;
    EXPECT_FALSE(x.is_donatable());
  }
  {
    array view = reshape(x, {3, 1});
    eval(view);
    EXPECT_FALSE(x.is_donatable());
  }
  EXPECT_TRUE(x.is_donatable());
  int own[2] = {1, 2};
  EXPECT_FALSE(array(own, {2}, int32, [](void*) {}).is_donatable());
}

TEST(Members, AnArrayTakesOtherMemory) {
  array x = zeros({2, 3}, int32);
  const array before = x;
  allocator::Data data = allocator::malloc(6 * sizeof(int));
  for (int i = 0; i < 6; ++i) static_cast<int*>(data.buffer().raw_ptr())[i] = i;
  x.set_data(std::move(data));
  EXPECT_EQ(values<int>(x), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values<int>(before), (std::vector<int>(6, 0)));
  array t = zeros({3, 2}, int32);
  t.copy_shared_buffer(x, {1, 3}, x.flags(), 6);
  EXPECT_EQ(values<int>(t), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(t.buffer().ptr(), x.buffer().ptr());
  array last = zeros({2}, int32);
  last.copy_shared_buffer(x, {-1}, x.flags(), 2, 5);
  EXPECT_EQ(values<int>(last), (std::vector<int>{5, 4}));
  EXPECT_THROW(last.copy_shared_buffer(x, {1}, x.flags(), 2, 5), std::invalid_argument);
  EXPECT_THROW(last.copy_shared_buffer(x, {-1}, x.flags(), 2, 0), std::invalid_argument);
  EXPECT_THROW(last.copy_shared_buffer(x, {1, 1}, x.flags(), 2), std::invalid_argument);
  const array weak = array::unsafe_weak_copy(t);
  EXPECT_NE(weak.id(), t.id());
  EXPECT_EQ(weak.buffer().ptr(), t.buffer().ptr());
  EXPECT_EQ(values<int>(weak), values<int>(t));
  array behind = zeros({1}, int32);
  allocator::Buffer two = allocator::malloc(8);
  static_cast<int*>(two.raw_ptr())[1] = 7;
  behind.set_data(two, 1, {1}, behind.flags(), 1);
  EXPECT_EQ(values<int>(behind), (std::vector<int>{7}));
  int freed = 0;
  {
    array y = zeros({2}, float32);
    y.set_data(allocator::malloc(8), [&](allocator::Buffer b) {
      ++freed;
      allocator::free(b);
    });
    EXPECT_EQ(y.dtype(), float32);
    y.overwrite_descriptor(x);
    EXPECT_EQ(y.id(), x.id());
  }
  EXPECT_EQ(freed, 1);
  array z = x + x;
  z.detach();
  EXPECT_FALSE(z.has_primitive());
  EXPECT_EQ(z.status(), array::available);
}

TEST(Members, FunctionsMadeOfOthers) {
  const array x({3, 1, 3, 2, 1}, {5});
  std::vector<array> u = unique(x, 4, true, true, true, array(9));
  ASSERT_EQ(u.size(), 4u);
  EXPECT_EQ(values<int>(u[0]), (std::vector<int>{1, 2, 3, 9}));
  EXPECT_EQ(values<uint32_t>(u[2]), (std::vector<uint32_t>{2, 0, 2, 1, 0}));
  EXPECT_EQ(values<int>(u[3]), (std::vector<int>{2, 1, 2, 0}));
  EXPECT_EQ(unique(x, 2).size(), 1u);
  const auto [low, high] = minmax(reshape(arange(6), {2, 3}), 0);
  EXPECT_EQ(values<int>(low), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(values<int>(high), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(std::get<1>(minmax(x, true)).shape(), (Shape{1}));
  EXPECT_EQ(std::get<0>(minmax(x)).item<int>(), 1);
  EXPECT_EQ(matrix_transpose(zeros({4, 2, 3})).shape(), (Shape{4, 3, 2}));
  EXPECT_THROW(matrix_transpose(zeros({4})), std::invalid_argument);
  const array signal = sin(arange(0.0, 64.0, 1.0));
  const array spectrum = fft::stft(signal, 16);
  EXPECT_EQ(spectrum.shape(), (Shape{9, 17}));
  EXPECT_TRUE(allclose(fft::istft(spectrum, 16, std::nullopt, std::nullopt, std::nullopt, true, fft::FFTNorm::Backward,
                                  std::nullopt, 64),
                       signal, 1e-4, 1e-5)
                  .item<bool>());
  EXPECT_NEAR(fast::cross_entropy(array({0.0f, 0.0f}, {1, 2}), array({1})).item<float>(), std::log(2.0f), 1e-6);
  EXPECT_EQ(peek_default_stream(Device::cpu), default_stream(Device::cpu));
  EXPECT_FALSE(peek_default_stream(Device(Device::cpu, 3)).has_value());
}

TEST(Members, TracersHaveInputsToo) {
  bool asked = false;
  compile([&](array x) {
    EXPECT_TRUE(x.is_tracer());
    EXPECT_FALSE(x.has_primitive());
    array y = x + x;
    EXPECT_EQ(y.inputs()[0].id(), x.id());
    EXPECT_EQ(y.graph_depth(), 1u);
    asked = true;
    return y;
  })(array({1, 2}));
  EXPECT_TRUE(asked);
}

TEST(Members, MemoryThatAnArraySpans) {
  const array x = reshape(arange(12), {3, 4});
  x.eval();
  EXPECT_EQ(x.data_size(), 12u);
  array b = broadcast_to(array(1.0f), {5, 6});
  eval(b);
  EXPECT_LE(b.data_size(), b.size());
  EXPECT_EQ(zeros({0, 3}).data_size(), 0u);
}

TEST(Members, GraphsArePrinted) {
  array a({1.0f, 2.0f}), b({3.0f, 4.0f});
  array c = a + b;
  array d = c * c;
  std::ostringstream os;
  print_graph(os, d);
  EXPECT_EQ(os.str(),
            "inputs: A, B\n"
            "C = add(A, B): float32 (2)\n"
            "D = multiply(C, C): float32 (2)\n"
            "outputs: D\n");
  NodeNamer namer;
  namer.set_name(a, "left");
  std::ostringstream named;
  print_graph(named, namer, c);
  EXPECT_EQ(named.str(), "inputs: left, B\nC = add(left, B): float32 (2)\noutputs: C\n");
  std::ostringstream dot;
  export_to_dot(dot, c, d);
  EXPECT_TRUE(contains(dot.str(), "digraph {\n"));
  EXPECT_TRUE(contains(dot.str(), "label=\"multiply\""));
  for (int i = 0; i < 30; ++i) namer.get_name(array(i));
  EXPECT_EQ(std::set<std::string>({"left", "AB"}).count(namer.get_name(a)), 1u);
}

TEST(Members, KindsPrint) {
  std::ostringstream os;
  os << kindof(bfloat16) << kindof(uint8) << kindof(bool_);
  EXPECT_EQ(os.str(), "Vub");
}
