/**
 * Runs one of the project's tools after the bootstrap: `node scripts/run.mjs bun FILE …`, `node scripts/run.mjs tsc -p .`
 *
 * The exit code is the tool's. Signals are passed on, so that what the tool started can be ended by it.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { bootstrap, root } from './bootstrap.mjs'

const [tool, ...args] = process.argv.slice(2)
const bun = await bootstrap()
const child =
  tool === 'bun'
    ? spawn(bun, args, { cwd: root, stdio: 'inherit' })
    : spawn(process.execPath, [join(root, 'node_modules/.bin', tool), ...args], { cwd: root, stdio: 'inherit' })

// Ctrl-C reaches the whole group, and npm passes it on once more. The child may have it already, and a second one would end it at once,
// unclean: so it gets one other signal.
process.once('SIGINT', () => {
  process.on('SIGINT', () => {})
  child.kill('SIGTERM')
})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`lodeline: could not start ${tool}: ${error.message}\n`)
  process.exitCode = 1
})
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
})
