// shader routine0_rows
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x80000000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f800000u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint keys[tile];
shared uint places[tile];
uint element(int64_t first, uint i) {
  return uint(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * 4UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    uint key = ~0u;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  uint taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const uint key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
    const uint skipped = n - uint(args.wanted);
    if (at < skipped) continue;
    const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
    Element(args.result + to * 4UL).data = uint(element(first_of(row), place));
  }
}

// shader routine0_tiles
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x80000000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f800000u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint keys[tile];
shared uint places[tile];
uint element(int64_t first, uint i) {
  return uint(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * 4UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    uint key = ~0u;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  uint taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const uint key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
    const uint64_t to = row * uint64_t(n) + uint64_t(at);
    Word(args.words[0] + to * 4UL).data = element(first_of(row), place);
  }
}

// shader routine0_merge
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x80000000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f800000u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint words[tile];
shared uint places[1];
shared uint parts[2];
uint order(uint w) { return key_of(w); }
uint word(uint64_t at) { return Word(args.words[int(args.turn & 1L)] + at * 4UL).data; }
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), turn = uint(args.turn);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint first = uint(group - row * uint64_t(args.tiles)) * tile, width = tile << turn;
  const uint base = first & ~(2u * width - 1u), left = min(width, n - base), right = min(width, n - base - left);
  const uint64_t a = row * uint64_t(n) + uint64_t(base), b = a + uint64_t(left);
  const uint begin = first - base, end = min(begin + tile, left + right);
  // Elements of the left run among those in front of both ends. Of equal ones the left come first.
  if (me < 2u) {
    const uint diagonal = me == 0u ? begin : end;
    uint low = diagonal > right ? diagonal - right : 0u, high = min(diagonal, left);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (order(word(a + uint64_t(middle))) <= order(word(b + uint64_t(diagonal - 1u - middle))))
        low = middle + 1u;
      else
        high = middle;
    }
    parts[me] = low;
  }
  barrier();
  const uint from_left = parts[0], count = end - begin, lefts = parts[1] - from_left, from_right = begin - from_left;
  for (uint i = me; i < count; i += threads) {
    const uint64_t at = i < lefts ? a + uint64_t(from_left + i) : b + uint64_t(from_right + i - lefts);
    words[bank(i)] = word(at);
  }
  barrier();
  const uint rights = count - lefts, diagonal = min(me * each, count);
  uint low = diagonal > rights ? diagonal - rights : 0u, high = min(diagonal, lefts);
  while (low < high) {
    const uint middle = (low + high) / 2u;
    if (order(words[bank(middle)]) <= order(words[bank(lefts + diagonal - 1u - middle)]))
      low = middle + 1u;
    else
      high = middle;
  }
  uint i = low, j = lefts + diagonal - low;
  uint taken[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const bool has_left = i < lefts, has_right = j < count;
    const uint ours = bank(has_left ? i : 0u), theirs = bank(has_right ? j : 0u);
    const bool from = has_right && (!has_left || order(words[theirs]) < order(words[ours]));
    taken[k] = words[from ? theirs : ours];
    if (from) ++j; else ++i;
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < each; ++k)
    if (diagonal + k < count) {
      words[bank(me * each + k)] = taken[k];
    }
  barrier();
  const bool last = args.turn + 1L == args.turns;
  const uint skipped = n - uint(args.wanted);
  const uint64_t target = args.words[1 - int(args.turn & 1L)];
  for (uint i = me; i < count; i += threads) {
    const uint at = first + i;
    if (last) {
      if (at < skipped) continue;
      const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
      Element(args.result + to * 4UL).data = uint(words[bank(i)]);
    } else {
      const uint64_t to = row * uint64_t(n) + uint64_t(at);
      Word(target + to * 4UL).data = words[bank(i)];
    }
  }
}

// shader routine1_rows
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x80000000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f800000u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint keys[tile];
shared uint places[tile];
uint element(int64_t first, uint i) {
  return uint(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * 4UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    uint key = ~0u;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  uint taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const uint key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
    const uint skipped = n - uint(args.wanted);
    if (at < skipped) continue;
    const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
    Place(args.result + to * 4UL).data = place;
  }
}

// shader routine1_tiles
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x80000000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f800000u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint keys[tile];
shared uint places[tile];
uint element(int64_t first, uint i) {
  return uint(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * 4UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    uint key = ~0u;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  uint taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const uint key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
    const uint64_t to = row * uint64_t(n) + uint64_t(at);
    Word(args.words[0] + to * 4UL).data = keys[bank(i)];
    Place(args.places[0] + to * 4UL).data = place;
  }
}

// shader routine1_merge
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Element { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x80000000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f800000u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint words[tile];
shared uint places[2048];
shared uint parts[2];
uint order(uint w) { return w; }
uint word(uint64_t at) { return Word(args.words[int(args.turn & 1L)] + at * 4UL).data; }
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), turn = uint(args.turn);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint first = uint(group - row * uint64_t(args.tiles)) * tile, width = tile << turn;
  const uint base = first & ~(2u * width - 1u), left = min(width, n - base), right = min(width, n - base - left);
  const uint64_t a = row * uint64_t(n) + uint64_t(base), b = a + uint64_t(left);
  const uint begin = first - base, end = min(begin + tile, left + right);
  // Elements of the left run among those in front of both ends. Of equal ones the left come first.
  if (me < 2u) {
    const uint diagonal = me == 0u ? begin : end;
    uint low = diagonal > right ? diagonal - right : 0u, high = min(diagonal, left);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (order(word(a + uint64_t(middle))) <= order(word(b + uint64_t(diagonal - 1u - middle))))
        low = middle + 1u;
      else
        high = middle;
    }
    parts[me] = low;
  }
  barrier();
  const uint from_left = parts[0], count = end - begin, lefts = parts[1] - from_left, from_right = begin - from_left;
  for (uint i = me; i < count; i += threads) {
    const uint64_t at = i < lefts ? a + uint64_t(from_left + i) : b + uint64_t(from_right + i - lefts);
    words[bank(i)] = word(at);
    places[bank(i)] = Place(args.places[int(args.turn & 1L)] + at * 4UL).data;
  }
  barrier();
  const uint rights = count - lefts, diagonal = min(me * each, count);
  uint low = diagonal > rights ? diagonal - rights : 0u, high = min(diagonal, lefts);
  while (low < high) {
    const uint middle = (low + high) / 2u;
    if (order(words[bank(middle)]) <= order(words[bank(lefts + diagonal - 1u - middle)]))
      low = middle + 1u;
    else
      high = middle;
  }
  uint i = low, j = lefts + diagonal - low;
  uint taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const bool has_left = i < lefts, has_right = j < count;
    const uint ours = bank(has_left ? i : 0u), theirs = bank(has_right ? j : 0u);
    const bool from = has_right && (!has_left || order(words[theirs]) < order(words[ours]));
    taken[k] = words[from ? theirs : ours];
    taken_places[k] = places[from ? theirs : ours];
    if (from) ++j; else ++i;
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < each; ++k)
    if (diagonal + k < count) {
      words[bank(me * each + k)] = taken[k];
      places[bank(me * each + k)] = taken_places[k];
    }
  barrier();
  const bool last = args.turn + 1L == args.turns;
  const uint skipped = n - uint(args.wanted);
  const uint64_t target = args.words[1 - int(args.turn & 1L)];
  for (uint i = me; i < count; i += threads) {
    const uint at = first + i;
    if (last) {
      if (at < skipped) continue;
      const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
      Place(args.result + to * 4UL).data = places[bank(i)];
    } else {
      const uint64_t to = row * uint64_t(n) + uint64_t(at);
      Word(target + to * 4UL).data = words[bank(i)];
      Place(args.places[1 - int(args.turn & 1L)] + to * 4UL).data = places[bank(i)];
    }
  }
}

// shader routine2_select
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  uint64_t kept[2];
  int64_t turn, kth;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x8000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f80u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048u, each = tile / 256u;
shared uint histogram[256], sums[256], chosen[2];
shared uint staged[tile];
uint64_t base;
int64_t stride;
uint element(uint i) { return uint(Element(base + uint64_t(int64_t(i) * stride) * 2UL).data); }
void main() {
  const uint me = gl_LocalInvocationIndex;
  const uint part = 8192u, k = 20u;
  uint n = 50000u;
  for (int turn = 0; turn < int(args.turn); ++turn) n = n / part * k + min(n % part, k);
  const uint parts = (n + part - 1u) / part, kept = n / part * k + min(n % part, k);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(parts));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(group - row * uint64_t(parts)), first = number * part, m = min(part, n - first);
  if (args.turn == 0L) {
    stride = args.stride;
    base = args.x + uint64_t(first_of(row) + int64_t(first) * stride) * 2UL;
  } else {
    stride = 1L;
    base = args.kept[int(args.turn + 1L & 1L)] + (row * uint64_t(n) + uint64_t(first)) * 2UL;
  }
  const uint64_t target = args.kept[int(args.turn & 1L)] + (row * uint64_t(kept) + uint64_t(number * k)) * 2UL;
  // The key of that rank, and its rank among the elements of that key.
  const uint rank = m - min(m, k);
  uint key = 0u, mask = 0u;
  uint among = rank;
  for (int shift = 16 - 8; shift >= 0; shift -= 8) {
    histogram[me] = 0u;
    barrier();
    // Loads behind no branch are on their way together.
    for (uint first = me; first < m; first += 256u * each) {
      uint words[each];
      [[unroll]] for (uint k = 0u; k < each; ++k) words[k] = element(min(first + k * 256u, m - 1u));
      [[unroll]] for (uint k = 0u; k < each; ++k) {
        const uint own = key_of(words[k]);
        if (first + k * 256u < m && (own & mask) == key) atomicAdd(histogram[uint(own >> shift) & 255u], 1u);
      }
    }
    barrier();
    const uint count = histogram[me];
    sums[me] = count;
    for (uint step = 1u; step < 256u; step *= 2u) {
      barrier();
      const uint more = me >= step ? sums[me - step] : 0u;
      barrier();
      sums[me] += more;
    }
    const uint after = sums[me], before = after - count;
    if (among >= before && among < after) chosen[0] = me, chosen[1] = among - before;
    barrier();
    key |= uint(chosen[0]) << shift;
    mask |= uint(255u) << shift;
    among = chosen[1];
    barrier();
  }
  // A tile at a time, which is read along the row. Counts of lower elements are in the lower half of a number, those of
  // equal ones in the upper half.
  uint lower_before = 0u, equal_before = 0u;
  for (uint first_in_tile = 0u; first_in_tile < m; first_in_tile += tile) {
    const uint count = min(tile, m - first_in_tile);
    uint words[each];
    [[unroll]] for (uint k = 0u; k < each; ++k) words[k] = element(first_in_tile + min(me + k * 256u, count - 1u));
    [[unroll]] for (uint k = 0u; k < each; ++k) staged[bank(me + k * 256u)] = words[k];
    barrier();
    uint own_counts = 0u;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const uint at = me * each + k;
      words[k] = staged[bank(at)];
      const uint own = key_of(words[k]);
      if (at < count) own_counts += own < key ? 1u : own == key ? 65536u : 0u;
    }
    uint counts = own_counts;
    sums[me] = counts;
    for (uint step = 1u; step < 256u; step *= 2u) {
      barrier();
      const uint more = me >= step ? sums[me - step] : 0u;
      barrier();
      counts += more;
      sums[me] = counts;
    }
    barrier();
    const uint all = sums[255];
    counts -= own_counts;
    uint lower = lower_before + (counts & 65535u), equal = equal_before + (counts >> 16u);
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const uint i = first_in_tile + me * each + k;
      const uint word = words[k], own = key_of(word);
      if (me * each + k < count) {
        const uint fronts = lower + min(equal, among);  // in front of this one
        const bool front = own < key || (own == key && equal < among);
        const bool itself = own == key && equal == among;
    if (!front) Element(target + uint64_t(i - fronts) * 2UL).data = uint16_t(word);
        if (own < key) ++lower;
        if (own == key) ++equal;
      }
    }
    lower_before += all & 65535u;
    equal_before += all >> 16u;
    barrier();
  }
}

// shader routine2_rows
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint float_key(uint w) {
  const uint sign = 0x8000u, magnitude = w & (sign - 1u);
  const uint all = sign | (sign - 1u), turned = (w & sign) != 0u ? ~w & all : w | sign;
  return magnitude > 0x7f80u ? all : magnitude == 0u ? sign : turned;
}
uint key_of(uint w) { return float_key(w); }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 2048, threads = 256, each = tile / threads;
shared uint keys[tile];
shared uint places[tile];
uint element(int64_t first, uint i) {
  return uint(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * 2UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    uint key = ~0u;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  uint taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const uint key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
    const uint skipped = n - uint(args.wanted);
    if (at < skipped) continue;
    const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
    Element(args.result + to * 2UL).data = uint16_t(element(first_of(row), place));
  }
}

// shader routine3_tiles
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Element { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Word { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint64_t key_of(uint64_t w) { return w ^ 0x8000000000000000UL; }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 1024, threads = 256, each = tile / threads;
shared uint64_t keys[tile];
shared uint places[tile];
uint64_t element(int64_t first, uint i) {
  return uint64_t(Element(args.x + uint64_t(first + int64_t(i) * args.stride) * 8UL).data);
}
void main() {
  const uint me = gl_LocalInvocationIndex, span = uint(args.span), n = uint(args.n), own = me * each;
  const uint64_t first_block = this_group() * uint64_t(tile / span), tiles = uint64_t(args.tiles);
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    uint64_t key = ~0UL;
    if (row < uint64_t(args.rows) && at < n) key = key_of(element(first_of(row), at));
    keys[bank(i)] = key;
    places[bank(i)] = at;
  }
  barrier();
  uint64_t taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    taken[k] = keys[bank(own + k)];
    taken_places[k] = places[bank(own + k)];
  }
  [[unroll]] for (uint round = 0u; round < each; ++round)
    [[unroll]] for (uint k = round & 1u; k + 1u < each; k += 2u)
      if ((k + 1u & span - 1u) != 0u && taken[k + 1u] < taken[k]) {
        const uint64_t key = taken[k];
        const uint place = taken_places[k];
        taken[k] = taken[k + 1u], taken[k + 1u] = key;
        taken_places[k] = taken_places[k + 1u], taken_places[k + 1u] = place;
      }
  for (uint run = each;; run *= 2u) {
    barrier();
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      keys[bank(own + k)] = taken[k];
      places[bank(own + k)] = taken_places[k];
    }
    barrier();
    if (run >= span) break;
    const uint left = own & ~(2u * run - 1u), right = left + run, diagonal = own - left;
    uint low = diagonal > run ? diagonal - run : 0u, high = min(diagonal, run);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (keys[bank(left + middle)] <= keys[bank(right + diagonal - 1u - middle)])
        low = middle + 1u;
      else
        high = middle;
    }
    uint i = left + low, j = right + diagonal - low;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const bool has_left = i < right, has_right = j < right + run;
      const uint ours = bank(has_left ? i : left), theirs = bank(has_right ? j : left);
      const bool from = has_right && (!has_left || keys[theirs] < keys[ours]);
      taken[k] = keys[from ? theirs : ours];
      taken_places[k] = places[from ? theirs : ours];
      if (from) ++j; else ++i;
    }
  }
  for (uint i = me; i < tile; i += threads) {
    const uint64_t block = first_block + uint64_t(i / span), row = quotient(block, tiles);
    const uint at = uint(block - row * tiles) * span + (i & (span - 1u));
    if (row >= uint64_t(args.rows) || at >= n) continue;
    const uint place = places[bank(i)];
    const uint64_t to = row * uint64_t(n) + uint64_t(at);
    Word(args.words[0] + to * 8UL).data = keys[bank(i)];
    Place(args.places[0] + to * 4UL).data = place;
  }
}

// shader routine3_merge
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  int64_t span, tiles;
  uint64_t words[2], places[2];
  int64_t turn, turns;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Element { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Word { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint64_t key_of(uint64_t w) { return w ^ 0x8000000000000000UL; }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 1024, threads = 256, each = tile / threads;
shared uint64_t words[tile];
shared uint places[1024];
shared uint parts[2];
uint64_t order(uint64_t w) { return w; }
uint64_t word(uint64_t at) { return Word(args.words[int(args.turn & 1L)] + at * 8UL).data; }
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), turn = uint(args.turn);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint first = uint(group - row * uint64_t(args.tiles)) * tile, width = tile << turn;
  const uint base = first & ~(2u * width - 1u), left = min(width, n - base), right = min(width, n - base - left);
  const uint64_t a = row * uint64_t(n) + uint64_t(base), b = a + uint64_t(left);
  const uint begin = first - base, end = min(begin + tile, left + right);
  // Elements of the left run among those in front of both ends. Of equal ones the left come first.
  if (me < 2u) {
    const uint diagonal = me == 0u ? begin : end;
    uint low = diagonal > right ? diagonal - right : 0u, high = min(diagonal, left);
    while (low < high) {
      const uint middle = (low + high) / 2u;
      if (order(word(a + uint64_t(middle))) <= order(word(b + uint64_t(diagonal - 1u - middle))))
        low = middle + 1u;
      else
        high = middle;
    }
    parts[me] = low;
  }
  barrier();
  const uint from_left = parts[0], count = end - begin, lefts = parts[1] - from_left, from_right = begin - from_left;
  for (uint i = me; i < count; i += threads) {
    const uint64_t at = i < lefts ? a + uint64_t(from_left + i) : b + uint64_t(from_right + i - lefts);
    words[bank(i)] = word(at);
    places[bank(i)] = Place(args.places[int(args.turn & 1L)] + at * 4UL).data;
  }
  barrier();
  const uint rights = count - lefts, diagonal = min(me * each, count);
  uint low = diagonal > rights ? diagonal - rights : 0u, high = min(diagonal, lefts);
  while (low < high) {
    const uint middle = (low + high) / 2u;
    if (order(words[bank(middle)]) <= order(words[bank(lefts + diagonal - 1u - middle)]))
      low = middle + 1u;
    else
      high = middle;
  }
  uint i = low, j = lefts + diagonal - low;
  uint64_t taken[each];
  uint taken_places[each];
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const bool has_left = i < lefts, has_right = j < count;
    const uint ours = bank(has_left ? i : 0u), theirs = bank(has_right ? j : 0u);
    const bool from = has_right && (!has_left || order(words[theirs]) < order(words[ours]));
    taken[k] = words[from ? theirs : ours];
    taken_places[k] = places[from ? theirs : ours];
    if (from) ++j; else ++i;
  }
  barrier();
  [[unroll]] for (uint k = 0u; k < each; ++k)
    if (diagonal + k < count) {
      words[bank(me * each + k)] = taken[k];
      places[bank(me * each + k)] = taken_places[k];
    }
  barrier();
  const bool last = args.turn + 1L == args.turns;
  const uint skipped = n - uint(args.wanted);
  const uint64_t target = args.words[1 - int(args.turn & 1L)];
  for (uint i = me; i < count; i += threads) {
    const uint at = first + i;
    if (last) {
      if (at < skipped) continue;
      const uint64_t to = row * uint64_t(args.wanted) + uint64_t(at - skipped);
      Place(args.result + to * 4UL).data = places[bank(i)];
    } else {
      const uint64_t to = row * uint64_t(n) + uint64_t(at);
      Word(target + to * 8UL).data = words[bank(i)];
      Place(args.places[1 - int(args.turn & 1L)] + to * 4UL).data = places[bank(i)];
    }
  }
}

// shader routine3_counts
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  uint64_t words, places, counts;
  int64_t kth, tiles;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Element { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Word { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint64_t key_of(uint64_t w) { return w ^ 0x8000000000000000UL; }
const uint each = 2048 / 256;
shared uint sums[256];
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counts { uint data; };
// Inclusive sums over the workgroup.
void add_up(uint me, uint own) {
  sums[me] = own;
  for (uint step = 1u; step < 256u; step *= 2u) {
    barrier();
    const uint more = me >= step ? sums[me - step] : 0u;
    barrier();
    sums[me] += more;
  }
  barrier();
}
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), kth = uint(args.kth);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(group - row * uint64_t(args.tiles)), begin = number * 2048 + me * each;
  const uint64_t sorted = row * uint64_t(n) + uint64_t(kth), base = args.x + uint64_t(first_of(row)) * 8UL;
  const uint64_t key = Word(args.words + sorted * 8UL).data;
  const uint place = Place(args.places + sorted * 4UL).data;
  uint64_t words[each];
  uint fronts = 0u;
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const uint i = begin + k;
    words[k] = i < n ? uint64_t(Element(base + uint64_t(int64_t(i) * args.stride) * 8UL).data) : 0UL;
    const uint64_t own = key_of(words[k]);
    if (i < n && (own < key || (own == key && i < place))) ++fronts;
  }
  add_up(me, fronts);
  if (me == 0u) Counts(args.counts + group * 4UL).data = sums[255];
}

// shader routine3_places
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  uint64_t words, places, counts;
  int64_t kth, tiles;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Element { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Word { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint64_t key_of(uint64_t w) { return w ^ 0x8000000000000000UL; }
const uint each = 2048 / 256;
shared uint sums[256];
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counts { uint data; };
// Inclusive sums over the workgroup.
void add_up(uint me, uint own) {
  sums[me] = own;
  for (uint step = 1u; step < 256u; step *= 2u) {
    barrier();
    const uint more = me >= step ? sums[me - step] : 0u;
    barrier();
    sums[me] += more;
  }
  barrier();
}
void main() {
  const uint me = gl_LocalInvocationIndex, n = uint(args.n), kth = uint(args.kth);
  const uint64_t group = this_group(), row = quotient(group, uint64_t(args.tiles));
  if (row >= uint64_t(args.rows)) return;
  const uint number = uint(group - row * uint64_t(args.tiles)), begin = number * 2048 + me * each;
  const uint64_t sorted = row * uint64_t(n) + uint64_t(kth), base = args.x + uint64_t(first_of(row)) * 8UL;
  const uint64_t key = Word(args.words + sorted * 8UL).data;
  const uint place = Place(args.places + sorted * 4UL).data;
  uint64_t words[each];
  uint fronts = 0u;
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const uint i = begin + k;
    words[k] = i < n ? uint64_t(Element(base + uint64_t(int64_t(i) * args.stride) * 8UL).data) : 0UL;
    const uint64_t own = key_of(words[k]);
    if (i < n && (own < key || (own == key && i < place))) ++fronts;
  }
  uint before = 0u;
  for (uint i = me; i < number; i += 256u) before += Counts(args.counts + (group - uint64_t(number - i)) * 4UL).data;
  add_up(me, before);
  const uint in_tiles = sums[255];
  barrier();
  add_up(me, fronts);
  uint passed = in_tiles + sums[me] - fronts;
  [[unroll]] for (uint k = 0u; k < each; ++k) {
    const uint i = begin + k;
    const uint64_t word = words[k], own = key_of(word);
    if (i < n) {
      const bool front = own < key || (own == key && i < place);
      const uint behind = i - passed - (i > place ? 1u : 0u);
      const uint64_t to = row * uint64_t(n) + uint64_t(front ? passed : i == place ? kth : kth + 1u + behind);
    Element(args.result + to * 8UL).data = uint64_t(word);
      if (front) ++passed;
    }
  }
}

// shader routine3_select
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
  uint64_t kept[2];
  int64_t turn, kth;
};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Element { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Word { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint64_t key_of(uint64_t w) { return w ^ 0x8000000000000000UL; }
uint bank(uint i) { return i ^ (i >> 5u & 7u); }
const uint tile = 1024u, each = tile / 256u;
shared uint histogram[256], sums[256], chosen[2];
shared uint64_t staged[tile];
uint64_t base;
int64_t stride;
uint64_t element(uint i) { return uint64_t(Element(base + uint64_t(int64_t(i) * stride) * 8UL).data); }
void main() {
  const uint me = gl_LocalInvocationIndex;
  const uint64_t row = this_group();
  if (row >= uint64_t(args.rows)) return;
  const uint m = uint(args.n);
  base = args.x + uint64_t(first_of(row)) * 8UL;
  stride = args.stride;
  // The key of that rank, and its rank among the elements of that key.
  const uint rank = uint(args.kth);
  uint64_t key = 0UL, mask = 0UL;
  uint among = rank;
  for (int shift = 64 - 8; shift >= 0; shift -= 8) {
    histogram[me] = 0u;
    barrier();
    // Loads behind no branch are on their way together.
    for (uint first = me; first < m; first += 256u * each) {
      uint64_t words[each];
      [[unroll]] for (uint k = 0u; k < each; ++k) words[k] = element(min(first + k * 256u, m - 1u));
      [[unroll]] for (uint k = 0u; k < each; ++k) {
        const uint64_t own = key_of(words[k]);
        if (first + k * 256u < m && (own & mask) == key) atomicAdd(histogram[uint(own >> shift) & 255u], 1u);
      }
    }
    barrier();
    const uint count = histogram[me];
    sums[me] = count;
    for (uint step = 1u; step < 256u; step *= 2u) {
      barrier();
      const uint more = me >= step ? sums[me - step] : 0u;
      barrier();
      sums[me] += more;
    }
    const uint after = sums[me], before = after - count;
    if (among >= before && among < after) chosen[0] = me, chosen[1] = among - before;
    barrier();
    key |= uint64_t(chosen[0]) << shift;
    mask |= uint64_t(255u) << shift;
    among = chosen[1];
    barrier();
  }
  // A tile at a time, which is read along the row. Counts of lower elements are in the lower half of a number, those of
  // equal ones in the upper half.
  uint lower_before = 0u, equal_before = 0u;
  for (uint first_in_tile = 0u; first_in_tile < m; first_in_tile += tile) {
    const uint count = min(tile, m - first_in_tile);
    uint64_t words[each];
    [[unroll]] for (uint k = 0u; k < each; ++k) words[k] = element(first_in_tile + min(me + k * 256u, count - 1u));
    [[unroll]] for (uint k = 0u; k < each; ++k) staged[bank(me + k * 256u)] = words[k];
    barrier();
    uint own_counts = 0u;
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const uint at = me * each + k;
      words[k] = staged[bank(at)];
      const uint64_t own = key_of(words[k]);
      if (at < count) own_counts += own < key ? 1u : own == key ? 65536u : 0u;
    }
    uint counts = own_counts;
    sums[me] = counts;
    for (uint step = 1u; step < 256u; step *= 2u) {
      barrier();
      const uint more = me >= step ? sums[me - step] : 0u;
      barrier();
      counts += more;
      sums[me] = counts;
    }
    barrier();
    const uint all = sums[255];
    counts -= own_counts;
    uint lower = lower_before + (counts & 65535u), equal = equal_before + (counts >> 16u);
    [[unroll]] for (uint k = 0u; k < each; ++k) {
      const uint i = first_in_tile + me * each + k;
      const uint64_t word = words[k], own = key_of(word);
      if (me * each + k < count) {
        const uint fronts = lower + min(equal, among);  // in front of this one
        const bool front = own < key || (own == key && equal < among);
        const bool itself = own == key && equal == among;
    const uint behind = i - fronts - (equal > among ? 1u : 0u);
    const uint64_t to = row * uint64_t(m) + uint64_t(front ? fronts : itself ? rank : rank + 1u + behind);
    Element(args.result + to * 8UL).data = uint64_t(word);
        if (own < key) ++lower;
        if (own == key) ++equal;
      }
    }
    lower_before += all & 65535u;
    equal_before += all >> 16u;
    barrier();
  }
}

// shader routine4_search
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t row, values, result;
  int64_t count, n, stride;
  int64_t sizes[4], row_steps[4], value_steps[4];
};
layout(push_constant, std430) uniform Push { Arguments args; };
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Element { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Word { uint64_t data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
uint64_t key_of(uint64_t w) { return w ^ 0x8000000000000000UL; }

void main() {
  const uint64_t group = uint64_t(flat_group());
  const uint64_t i = group * 256UL + uint64_t(gl_LocalInvocationIndex);
  if (i >= uint64_t(args.count)) return;
  int64_t in_row = 0L, in_values = 0L;
  uint64_t rest = i;
  for (int axis = 3; axis >= 0 && rest != 0UL; --axis) {
    const uint64_t size = uint64_t(args.sizes[axis]), next = quotient(rest, size);
    in_row += int64_t(rest - next * size) * args.row_steps[axis];
    in_values += int64_t(rest - next * size) * args.value_steps[axis];
    rest = next;
  }
  const uint64_t wanted = key_of(uint64_t(Element(args.values + uint64_t(in_values) * 8UL).data));
  int64_t first = 0L;
  for (int64_t left = args.n; left > 0L;) {
    const int64_t middle = left / 2L;
    const uint64_t found = key_of(uint64_t(Element(args.row + uint64_t(in_row + (first + middle) * args.stride) * 8UL).data));
    const bool before = found <= wanted;
    first += before ? middle + 1L : 0L;
    left = before ? left - middle - 1L : middle;
  }
  Place(args.result + i * 4UL).data = uint(first);
}
