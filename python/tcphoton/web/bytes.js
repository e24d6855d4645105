// Bytes in texts, and compressed ones.

/** The bytes of a text in base64. @param {string} text */
export function bytesOf(text) {
  return Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
}

/**
 * What comes out of a stream that compresses or decompresses, at most so many bytes.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream | DecompressionStream} stream
 * @param {number} most @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function through(bytes, stream, most) {
  const parts = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError(`more than ${most} bytes`);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
