/**
 * Brings a fresh clone to where `bun` runs: plain JavaScript for Node 20, needing nothing but npm.
 *
 * Several of these may start at once (`npm start` in one terminal, `npm test` in another), so the installation happens
 * under a lock file; the others wait for it.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const lockFile = join(root, '.bootstrap.lock')
const windows = process.platform === 'win32'

/**
 * Installs the packages when `node_modules` is not what `package-lock.json` says, and finds bun.
 *
 * @returns the absolute path of a bun that runs and has the pinned version. Exits the process with a message when there is none.
 */
export async function bootstrap() {
  if (Number(process.versions.node.split('.')[0]) < 20) fail(`Node 20 or newer is needed; this is ${process.version}.`)
  if (installedAsLocked()) {
    const bun = findBun()
    if (bun) return bun
  }
  const lock = await takeLock()
  let bun
  try {
    // Whoever held the lock before may have done the work.
    if (installedAsLocked()) bun = findBun()
    if (!bun) {
      await install(lock)
      bun = findBun()
    }
  } finally {
    lock.release()
  }
  if (!bun)
    fail(`npm installed no bun that runs on ${process.platform} ${process.arch}. See https://bun.com/docs/installation`)
  return bun
}

/**
 * True when `node_modules` holds the packages and versions of the lock file. npm writes the list of what it installed
 * (`node_modules/.package-lock.json`) as its last step, so an interrupted installation has none.
 */
function installedAsLocked() {
  const wanted = packagesOf(join(root, 'package-lock.json'))
  const present = packagesOf(join(root, 'node_modules/.package-lock.json'))
  if (!wanted || !present) return false
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue
    const there = present[path]
    if (!there) {
      if (entry.optional) continue
      return false
    }
    if (there.version !== entry.version || there.integrity !== entry.integrity) return false
  }
  return Object.keys(present).every((path) => path in wanted)
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/** npm holds the lock: it goes on when this process alone is ended, and nobody else may install until it is done. */
async function install(lock) {
  process.stderr.write('Installing packages (npm ci); the first time takes a minute …\n')
  const args = ['ci', '--loglevel=error', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier']
  // What a user's own settings might leave out is needed here; packages that ask for a newer Node don't run on it.
  args.push('--include=dev', '--include=optional', '--engine-strict=false')
  const npm = process.env.npm_execpath
  const [command, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : [windows ? 'npm.cmd' : 'npm', []]
  const npmCi = spawn(command, [...before, ...args], {
    cwd: root,
    shell: windows && before.length === 0,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (npmCi.pid !== undefined) lock.giveTo(npmCi.pid)
  const said = []
  for (const stream of [npmCi.stdout, npmCi.stderr]) stream.on('data', (bytes) => said.push(bytes))
  const end = await new Promise((resolve) => {
    npmCi.on('error', (error) => resolve(`: ${error.message}`))
    npmCi.on('close', (code) => resolve(code === 0 ? null : ''))
  })
  if (end === null) return
  process.stderr.write(Buffer.concat(said))
  fail(`npm ci failed${end}. The lines above are npm's own.`)
}

/** The pinned bun: npm's link to it, else the platform package's own file (all there is when install scripts are off). */
function findBun() {
  const pinned = packagesOf(join(root, 'package-lock.json'))?.['node_modules/bun']?.version
  const name = windows ? 'bun.exe' : 'bun'
  const candidates = [join(root, 'node_modules/.bin', name)]
  try {
    const folder = join(root, 'node_modules/@oven')
    for (const entry of readdirSync(folder).sort()) candidates.push(join(folder, entry, 'bin', name))
  } catch {
    // No platform package: npm found none for this machine, which the caller reports.
  }
  return candidates.find((path) => {
    const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000 })
    return run.status === 0 && run.stdout.trim() === pinned
  })
}

/** Waits for the lock, then holds it until it is released or its holder ends: this process, or the one that it was given to. */
async function takeLock() {
  const mine = `${lockFile}.${process.pid}`
  const name = (pid) => writeFileSync(mine, JSON.stringify({ pid, started: startOf(pid) }))
  name(process.pid)
  let told = false
  for (;;) {
    try {
      // A link appears whole or not at all, so nobody reads an empty lock.
      linkSync(mine, lockFile)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = lockHolder()
    if (holder === undefined || !isAlive(holder)) breakLock()
    else {
      if (!told) process.stderr.write(`Waiting for another installation (process ${holder.pid}) …\n`)
      told = true
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  rmSync(mine, { force: true })
  let held = process.pid
  const release = () => {
    // Where npm held it and ended, another may have taken it meanwhile.
    if (lockHolder()?.pid === held) rmSync(lockFile, { force: true })
  }
  process.once('exit', release)
  return {
    release() {
      process.off('exit', release)
      release()
    },
    giveTo(pid) {
      name(pid)
      renameSync(mine, lockFile)
      held = pid
    },
  }
}

/** Removes a dead process's lock. Only one process at a time may look and remove, or a second would remove a new lock. */
function breakLock() {
  const guard = `${lockFile}.breaking`
  try {
    mkdirSync(guard)
  } catch {
    // Held for a few system calls; older than that, its owner died in between.
    try {
      if (Date.now() - statSync(guard).mtimeMs > 10_000) rmdirSync(guard)
    } catch {}
    return
  }
  const holder = lockHolder()
  if (holder === undefined || !isAlive(holder)) rmSync(lockFile, { force: true })
  rmdirSync(guard)
}

function lockHolder() {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive({ pid, started }) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  // It has ended where nobody asks for its end, as in some containers.
  if (statOf(pid)?.[0] === 'Z') return false
  // The number may have been given to another process since.
  return started === undefined || startOf(pid) === undefined || startOf(pid) === started
}

/** When a process started, in the kernel's own unit, where the system tells it. */
const startOf = (pid) => statOf(pid)?.[19]

/** What Linux reports of a process, from its state on. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function fail(message) {
  process.stderr.write(`lodeline: ${message}\n`)
  process.exit(1)
}
