'use strict'
// Puts a link to the executable in the place of the launcher, so that `lode` starts without Node. Without it all works the same, a little
// slower: nothing here may fail an installation.
const { renameSync, rmSync, symlinkSync } = require('node:fs')
const { dirname, join, relative } = require('node:path')

if (process.platform !== 'win32') {
  const launcher = join(__dirname, 'bin/lode')
  const draft = `${launcher}.${process.pid}`
  try {
    const { executable } = require('./executable.cjs')
    symlinkSync(relative(dirname(launcher), executable()), draft)
    renameSync(draft, launcher)
  } catch {
    rmSync(draft, { force: true })
  }
}
