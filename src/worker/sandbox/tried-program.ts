import { accessSync, constants } from 'node:fs'

const PROBE_MS = 5_000

/** Tries a command line. @returns what it said of its failure; `null` = it works */
export async function triedProgram(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const child = Bun.spawn([...words], {
    env: { PATH: env.PATH ?? '' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: PROBE_MS,
  })
  const [said, code] = await Promise.all([child.stderr.text(), child.exited])
  return code === 0 ? null : said.trim().split('\n', 1)[0]?.slice(0, 300) || `exit code ${code}`
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
