import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { environment, prepareHome } from '../common/lode'
import { round } from '../common/measure'
import { makeProject } from './make-file'

const LINES = 60_000

/** A large tracker that is met for the first time, and given out again. */
export const importFigure: Figure = {
  name: 'import',
  target: '60,000 lines taken in by one command: < 3 s; given out again byte for byte',
  async measure({ lode, folder }) {
    const { dir, path } = makeProject(folder, LINES)
    const home = prepareHome(join(folder, 'h'))
    const run = (...args: string[]) => {
      const before = performance.now()
      const { exitCode, stdout, stderr } = Bun.spawnSync([lode, 'issue', ...args, '-C', dir], {
        env: environment(home),
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
        maxBuffer: 1e9,
      })
      if (exitCode !== 0) throw new Error(`lode issue ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
      return { seconds: round((performance.now() - before) / 1_000), stdout }
    }
    const parse = performance.now()
    const bytes = readFileSync(path)
    for (const line of bytes.toString('utf8').split('\n')) if (line !== '') JSON.parse(line)
    const parsed = round((performance.now() - parse) / 1_000)
    const taken = run('stats')
    const given = run('export')
    const isSame = Buffer.compare(given.stdout, bytes) === 0
    return {
      ok: taken.seconds < 3 && isSame,
      values: { lines: LINES, bytes: bytes.length, importSeconds: taken.seconds, exportSeconds: given.seconds, isSame },
      limit: { readAndParseSeconds: parsed },
    }
  },
}
