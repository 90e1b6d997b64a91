/**
 * Tries this program beside a former one: `npm run versions -- COMMIT`
 *
 * Builds the executable of a former commit in a folder of its own, and that of this tree. Then `test/versions/former-program.ts` updates a
 * machine from one to the other during a run, and lets both work on one database. It takes minutes, so `npm test` leaves it out.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dir, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lode: { type: 'string' } },
})
const [commit] = positionals
if (commit === undefined && values.lode === undefined) {
  console.error('Usage: npm run versions -- COMMIT, or --lode FILE for an executable that is there')
  process.exit(2)
}

const run = (words: string[], cwd: string, env: Record<string, string> = {}): void => {
  const { exitCode } = Bun.spawnSync(words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}`)
}

const folder = mkdtempSync(join(tmpdir(), 'lode-former-'))
try {
  let former = values.lode
  if (former === undefined) {
    run(['sh', '-c', `git archive ${JSON.stringify(commit)} | tar x -C ${JSON.stringify(folder)}`], root)
    run(['node', 'scripts/run.mjs', 'bun', 'scripts/build.ts'], folder)
    former = join(folder, 'dist/lode')
  }
  run([process.execPath, 'scripts/build.ts'], root)
  if (!existsSync(former)) throw new Error(`${former} is not there`)
  run([process.execPath, 'test', './test/versions/former-program.ts', '--timeout', '300000'], root, {
    LODELINE_FORMER_EXECUTABLE: resolve(former),
    LODELINE_EXECUTABLE_UNDER_TEST: join(root, 'dist/lode'),
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
