#!/usr/bin/env node
'use strict'
// Starts the executable of this system. Where npm runs install scripts, `postinstall.cjs` puts a link to the executable in the place of
// this file, and no Node runs.
const { executable } = require('../executable.cjs')

const file = executable()
const args = process.argv.slice(2)
// As bin/lode of the repository does: the last step of the compiler costs more than it gains in what records.
if (args.some((word) => ['up', 'serve', 'import', 'rebuild'].includes(word))) process.env.BUN_JSC_useFTLJIT ??= '0'

// Node 22.15 and newer become the executable. Not on Windows, which knows no such call.
if (typeof process.execve === 'function' && process.platform !== 'win32')
  process.execve(file, ['lode', ...args], process.env)
else start()

function start() {
  const { spawn } = require('node:child_process')
  const child = spawn(file, args, { stdio: 'inherit' })
  // The terminal sends Ctrl-C to the whole group, so the child has it already.
  process.on('SIGINT', () => {})
  process.on('SIGQUIT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT', 'SIGWINCH'])
    process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`lode: could not start ${file}: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    // Ends by the signal that ended the executable, so that a shell sees the same.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
