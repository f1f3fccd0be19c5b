// The data of a page: a tree of JSON values whose references become typed arrays.

const ARRAYS = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};

/** Return the tree of a page, its arrays in place. */
export async function unpacked(tree, packed) {
  const bytes = await inflated(bytesOf(packed));
  const arrays = new Map();
  const placed = (value) => {
    if (Array.isArray(value)) return value.map(placed);
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value.$)) {
      const key = value.$.join(" ");
      if (!arrays.has(key)) arrays.set(key, arrayAt(bytes, ...value.$));
      return arrays.get(key);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, placed(one)]));
  };
  return placed(tree);
}

/** Return the array of a reference: its bytes lie parted, all first bytes before all second ones. */
export function arrayAt(bytes, type, offset, length) {
  const array = new ARRAYS[type](length);
  const into = new Uint8Array(array.buffer);
  const size = array.BYTES_PER_ELEMENT;
  for (let part = 0; part < size; part += 1) {
    const from = offset + part * length;
    for (let place = 0; place < length; place += 1) into[place * size + part] = bytes[from + place];
  }
  return array;
}

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place += 1) bytes[place] = text.charCodeAt(place);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
