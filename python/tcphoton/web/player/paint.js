// Strokes on a canvas: by WebGL 2, and where there is none by the canvas itself.

/** @typedef {import("./scene.js").Strokes} Strokes */

const VERTEX = `#version 300 es
in vec2 corner;
in vec4 ends;
in float half_width;
in vec4 colour;
uniform vec2 size;
out vec4 shade;
void main() {
  vec2 way = ends.zw - ends.xy;
  float along = length(way);
  way = along > 0.0 ? way / along : vec2(1.0, 0.0);
  vec2 at = mix(ends.xy, ends.zw, corner.x) + vec2(-way.y, way.x) * half_width * corner.y;
  gl_Position = vec4(2.0 * at.x / size.x - 1.0, 1.0 - 2.0 * at.y / size.y, 0.0, 1.0);
  shade = vec4(colour.bgr * colour.a, colour.a);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 shade;
out vec4 pixel;
void main() { pixel = shade; }`;

/** Bytes of a stroke's numbers. */
const BYTES = 20;

/** Draws strokes by WebGL 2, all with one call. */
class Fast {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    const program = /** @type {WebGLProgram} */ (gl.createProgram());
    for (const [kind, text] of /** @type {[number, string][]} */ ([
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("no program");
    gl.useProgram(program);
    this.size = gl.getUniformLocation(program, "size");
    const at = (/** @type {string} */ name) => gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(at("corner"));
    gl.vertexAttribPointer(at("corner"), 2, gl.FLOAT, false, 0, 0);
    this.numbers = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.numbers);
    this.#each(at("ends"), 4, gl.FLOAT, false, BYTES, 0);
    this.#each(at("half_width"), 1, gl.FLOAT, false, BYTES, 16);
    this.colours = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colours);
    this.#each(at("colour"), 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /**
   * @param {number} place @param {number} parts @param {number} kind @param {boolean} scaled
   * @param {number} stride @param {number} offset
   */
  #each(place, parts, kind, scaled, stride, offset) {
    this.gl.enableVertexAttribArray(place);
    this.gl.vertexAttribPointer(place, parts, kind, scaled, stride, offset);
    this.gl.vertexAttribDivisor(place, 1);
  }

  /** @param {Strokes} strokes @param {number} width @param {number} height */
  draw(strokes, width, height) {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.size, width, height);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.numbers);
    gl.bufferData(gl.ARRAY_BUFFER, strokes.numbers.subarray(0, 5 * strokes.count), gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colours);
    gl.bufferData(gl.ARRAY_BUFFER, strokes.colours.subarray(0, strokes.count), gl.DYNAMIC_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, strokes.count);
  }
}

/** Draws strokes one by one. */
class Plain {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) {
    this.context = context;
  }

  /** @param {Strokes} strokes @param {number} width @param {number} height */
  draw({ count, numbers, colours }, width, height) {
    const { context } = this;
    const ratio = context.canvas.width / width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    for (let i = 0; i < count; i += 1) {
      const at = 5 * i;
      const colour = colours[i];
      context.globalAlpha = (colour >>> 24) / 255;
      context.strokeStyle = css(colour & 0xffffff);
      context.lineWidth = 2 * numbers[at + 4];
      context.beginPath();
      context.moveTo(numbers[at], numbers[at + 1]);
      context.lineTo(numbers[at + 2], numbers[at + 3]);
      context.stroke();
    }
  }
}

/** A colour 0xRRGGBB as CSS has it. @param {number} colour */
export function css(colour) {
  return `#${colour.toString(16).padStart(6, "0")}`;
}

/**
 * What draws strokes on a canvas.
 * @param {HTMLCanvasElement} canvas @param {boolean} [plain] without WebGL
 */
export function painter(canvas, plain = false) {
  const gl = plain ? null : canvas.getContext("webgl2", { antialias: true, alpha: true });
  if (gl) {
    try {
      return new Fast(gl);
    } catch {
      // A driver that cannot do it: the canvas is lost to WebGL, another one takes its place.
      const other = /** @type {HTMLCanvasElement} */ (canvas.cloneNode());
      canvas.replaceWith(other);
      return new Plain(/** @type {CanvasRenderingContext2D} */ (other.getContext("2d")));
    }
  }
  return new Plain(/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")));
}
