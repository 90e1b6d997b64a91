/**
 * `npm start`: Lodeline with its demonstration, from the compiled executable where that is quickly had.
 *
 * Arguments after `npm start --` are passed on.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { bootstrap, root } from './bootstrap.mjs'

/** Compiling takes 1 to 3 s on a usual machine; on one where it takes longer, the source starts sooner. */
const BUILD_LIMIT_MS = 15_000

const bun = await bootstrap()
const lode = join(root, 'bin/lode')

if (!isFresh()) {
  process.stderr.write('Building the executable …\n')
  const build = spawnSync(bun, [join(root, 'scripts/build.ts')], {
    cwd: root,
    encoding: 'utf8',
    timeout: BUILD_LIMIT_MS,
  })
  if (build.error?.code === 'ETIMEDOUT') process.stderr.write('That takes long here; running from source instead.\n')
  else if (build.status !== 0) process.stderr.write(`${build.stderr}Running from source instead.\n`)
}

const child = spawn(lode, ['up', '--demo', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
// Ctrl-C reaches the whole group, and npm passes it on once more. The child may have it already, and a second one would end it at once,
// unclean: so it gets one other signal.
process.once('SIGINT', () => {
  process.on('SIGINT', () => {})
  child.kill('SIGTERM')
})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`lodeline: could not start ${lode}: ${error.message}\n`)
  process.exitCode = 1
})
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
})

/** Asks bin/lode, so that there is one rule for what is fresh. */
function isFresh() {
  return existsSync(join(root, 'dist/lode')) && spawnSync(lode, [], { env: { LODELINE_IS_FRESH: '1' } }).status === 0
}
