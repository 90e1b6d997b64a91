import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the folder the root of a repository, as far as Lodeline looks at it without git. What is there stays. */
export function emptyRepository(folder: string): void {
  mkdirSync(join(folder, '.git'), { recursive: true })
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n')
}
