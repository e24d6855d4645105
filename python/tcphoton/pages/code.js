"use strict";
// The code that draws the same figure: in Python, and in a terminal.
(() => {
  const { isDistribution } = globalThis.tcphoton;

  /** The words of Python and of the command line that draw the same. */
  function code(study, asked) {
    const quoted = (text) => JSON.stringify(text);
    const python = [];
    const words = [];
    const shell = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    const option = (name, text) => words.push(`--${name} ${shell(text)}`);
    if (asked.statistic !== "completions") {
      python.push(`y=[${asked.y.map(quoted).join(", ")}]`);
      for (const name of asked.y) option("y", name);
    }
    if (!isDistribution(asked)) {
      python.push(`x=${quoted(asked.x)}`);
      option("x", asked.x);
    }
    for (const name of ["by", "facet"]) {
      if (!asked[name]) continue;
      python.push(`${name}=${quoted(asked[name])}`);
      option(name, asked[name]);
    }
    const where = Object.entries(asked.where);
    if (where.length) python.push(`where={${where.map(([key, text]) => `${quoted(key)}: ${quoted(text)}`).join(", ")}}`);
    for (const [key, text] of where) option("where", `${key}=${text}`);
    if (asked.statistic !== "mean") {
      python.push(`statistic=${quoted(asked.statistic)}`);
      option("statistic", asked.statistic);
    }
    for (const name of ["baseline", "log"]) {
      if (!asked[name]) continue;
      python.push(`${name}=${quoted(asked[name])}`);
      option(name, asked[name]);
    }
    const folders = study.folders.map(quoted);
    const first = folders.length === 1 ? folders[0] : `[${folders.join(", ")}]`;
    return {
      python: `import tcphoton as tp\n\nchart = tp.plot(\n    ${[first, ...python].join(",\n    ")},\n)\ntp.figures.save(chart, "figure")\nchart`,
      command: `tcphoton plot ${study.folders.map(shell).join(" ")} ${words.join(" ")} --out figure.pdf`,
    };
  }

  Object.assign(globalThis.tcphoton, { code });
})();
