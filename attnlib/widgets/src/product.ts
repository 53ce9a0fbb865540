// Rows of x times a rounded matrix, four features at a time: AssemblyScript, which build.mjs makes
// WebAssembly of. Addresses are bytes of its memory; encoder.js says what stands where.

const GROUP: u32 = 32; // numbers that share a scale
const BYTES: u32 = 4; // of a number that is not rounded

/** Write n rounded numbers as what they stand for; the scale of a group is the upper half of its bits. */
export function unpack(counts: usize, scales: usize, n: u32, to: usize): void {
  for (let k: u32 = 0; k < n; k += 4) {
    const bits = <u32>load<u16>(scales + 2 * (k / GROUP)) << 16;
    const four = i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(counts + k)));
    v128.store(to + BYTES * k, f32x4.mul(f32x4.convert_i32x4_s(four), f32x4.splat(reinterpret<f32>(bits))));
  }
}

/** Write into y (n, wide) the products of x (n, d) with the rows of a matrix (wide, d); room is for two of them, unpacked. */
export function product(x: usize, n: u32, d: u32, counts: usize, scales: usize, wide: u32, room: usize, y: usize): void {
  const row = BYTES * d;
  for (let c: u32 = 0; c < wide; c += 2) {
    unpack(counts + c * d, scales + 2 * ((c * d) / GROUP), 2 * d, room);
    // Four rows of x meet two of the matrix: each number is fetched once for several of eight sums.
    for (let i: u32 = 0; i < n; i += 4) {
      let p1 = f32x4.splat(0), q1 = f32x4.splat(0), r1 = f32x4.splat(0), s1 = f32x4.splat(0);
      let p2 = f32x4.splat(0), q2 = f32x4.splat(0), r2 = f32x4.splat(0), s2 = f32x4.splat(0);
      for (let f: u32 = 0; f < row; f += 4 * BYTES) {
        const a = v128.load(room + f);
        const b = v128.load(room + row + f);
        const at = x + i * row + f;
        const p = v128.load(at), q = v128.load(at + row), r = v128.load(at + 2 * row), s = v128.load(at + 3 * row);
        p1 = f32x4.add(p1, f32x4.mul(p, a));
        p2 = f32x4.add(p2, f32x4.mul(p, b));
        q1 = f32x4.add(q1, f32x4.mul(q, a));
        q2 = f32x4.add(q2, f32x4.mul(q, b));
        r1 = f32x4.add(r1, f32x4.mul(r, a));
        r2 = f32x4.add(r2, f32x4.mul(r, b));
        s1 = f32x4.add(s1, f32x4.mul(s, a));
        s2 = f32x4.add(s2, f32x4.mul(s, b));
      }
      const to = y + BYTES * (i * wide + c);
      write(to, p1, p2);
      write(to + BYTES * wide, q1, q2);
      write(to + 2 * BYTES * wide, r1, r2);
      write(to + 3 * BYTES * wide, s1, s2);
    }
  }
}

function write(to: usize, one: v128, two: v128): void {
  store<f32>(to, total(one));
  store<f32>(to + BYTES, total(two));
}

function total(x: v128): f32 {
  return f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3);
}
