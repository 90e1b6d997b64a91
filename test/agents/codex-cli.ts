/**
 * The real Codex CLI, for tests alone: the product never needs it, and it is 400 MB, so it is no package of this repository. The first
 * test that asks for it installs what `package.json` and its lock beside this file say, into a folder below `node_modules/.cache`.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sha256Hex } from '../../src/util/crypto'
import { claimFile } from '../../src/util/files/claim-file'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'

const FILES = ['package.json', 'package-lock.json'] as const
const CACHE = resolve(import.meta.dir, '../../node_modules/.cache/lodeline-test-agents')

/** How long an installation may take, in milliseconds: it loads 130 MB. */
const INSTALL_MS = 300_000

/** argv that starts the CLI. @throws Error when it can't be installed */
export async function codexCli(): Promise<readonly string[]> {
  return ['node', join(await agentPackages(), '@openai/codex/bin/codex.js')]
}

/** The folder with the packages of all these CLIs. @throws Error when they can't be installed */
export async function agentPackages(): Promise<string> {
  const wanted = FILES.map((name) => readFileSync(join(import.meta.dir, name)))
  // What is there was made of these files, and whole: it gets its name last.
  const folder = join(CACHE, sha256Hex(...wanted).slice(0, 16))
  if (!existsSync(folder)) await underLock(`${folder}.lock`, () => existsSync(folder) || install(folder))
  return join(folder, 'node_modules')
}

/** Does it in one process at a time; another process that was killed at it is taken for gone. */
async function underLock(lock: string, work: () => unknown): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  await until(
    'the installation of the agent CLIs',
    () => claimFile(lock, String(process.pid)) || isLeft(lock),
    INSTALL_MS,
  )
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isLeft(lock: string): false {
  try {
    if (!isAlive(Number(readFileSync(lock, 'utf8')))) rmSync(lock, { force: true })
  } catch {
    // It was released meanwhile.
  }
  return false
}

function install(folder: string): void {
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  for (const name of FILES) cpSync(join(import.meta.dir, name), join(draft, name))
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  const { exitCode, stderr } = Bun.spawnSync(['npm', ...words, '--include=optional'], {
    cwd: draft,
    timeout: INSTALL_MS,
  })
  if (exitCode !== 0) throw new Error(`The agent CLIs for tests could not be installed: ${stderr.toString()}`)
  renameSync(draft, folder)
}
