'use strict'
// Finds the package of this system, which npm chose by its fields `os`, `cpu` and `libc`.
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

const { platform, arch } = process

exports.executable = () => {
  const system = `${platform}-${arch}`
  // An old npm ignores `libc` and installs both.
  const names = platform !== 'linux' ? [system] : usesGlibc() ? [system, `${system}-musl`] : [`${system}-musl`, system]
  for (const name of names) {
    const file = find(name)
    if (file !== null) return file
  }
  process.stderr.write(
    `lode: the package @lodeline/${names[0]} is not installed. ` +
      'Install lodeline again without --omit=optional. If npm still leaves it out, there is no release for this system.\n',
  )
  process.exit(1)
}

function find(name) {
  try {
    const folder = dirname(require.resolve(`@lodeline/${name}/package.json`))
    const file = join(folder, 'bin', platform === 'win32' ? 'lode.exe' : 'lode')
    return existsSync(file) ? file : null
  } catch {
    return null
  }
}

function usesGlibc() {
  process.report.excludeNetwork = true
  return Boolean(process.report.getReport().header.glibcVersionRuntime)
}
