'use strict';
// Finds the addon: TENSPAN_NATIVE_PATH, then the file beside this one, then the package of this platform.

const path = require('node:path');

const { version } = require('../package.json');

/** Names of builds that may run here, the likeliest first. */
function platforms() {
  const { platform, arch } = process;
  if (platform === 'linux') return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  if (platform === 'win32') return [`win32-${arch}-msvc`];
  return [`${platform}-${arch}`];
}

function candidates() {
  const named = process.env.TENSPAN_NATIVE_PATH;
  if (named) return [path.resolve(named)];
  const names = platforms();
  return [
    ...names.map((name) => path.join(__dirname, `tenspan.${name}.node`)),
    ...names.map((name) => `@tenspan/binding-${name}`),
  ];
}

function load() {
  const attempts = [];
  for (const candidate of candidates()) {
    try {
      const native = require(candidate);
      if (native.version() === version) return native;
      attempts.push(new Error(`${candidate} is of version ${native.version()}, the package of ${version}`));
    } catch (error) {
      attempts.push(error);
    }
  }
  const list = attempts.map((error) => `  ${String(error.message).split('\n')[0]}`).join('\n');
  const message = `tenspan has no addon for ${process.platform} ${process.arch} that loads:\n${list}`;
  throw new Error(message, { cause: attempts.at(-1) });
}

module.exports = load();
