import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { claimFile } from '../../util/files/claim-file'

/**
 * Decides which of several processes that heard of the same thing acts on it: the first. Claims are files `<name>.<n>` in a folder,
 * numbered through; making one is atomic, so only one process gets a number.
 */
export class Claims {
  private readonly folder: string

  /** @param folder  made when it is missing, closed to other users */
  constructor(folder: string) {
    this.folder = folder
  }

  /** The newest claim of this name; number 0 when there is none. */
  newest(name: string): { number: number; note: string; ageMs: number } {
    let number = 0
    for (const entry of this.entries()) {
      const n = numberOf(entry, name)
      if (n > number) number = n
    }
    if (number === 0) return { number, note: '', ageMs: Number.POSITIVE_INFINITY }
    const path = join(this.folder, `${name}.${number}`)
    try {
      return { number, note: readFileSync(path, 'utf8'), ageMs: Math.max(0, Date.now() - statSync(path).mtimeMs) }
    } catch {
      // Swept in between.
      return { number, note: '', ageMs: Number.POSITIVE_INFINITY }
    }
  }

  /** What stands in a claim; '' = nothing, or there is none. */
  note(name: string, number: number): string {
    try {
      return readFileSync(join(this.folder, `${name}.${number}`), 'utf8')
    } catch {
      return ''
    }
  }

  /** @returns whether this call made it. @throws the system's error when the folder can't be written */
  take(name: string, number: number, note: string): boolean {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    return claimFile(join(this.folder, `${name}.${number}`), note)
  }

  private entries(): string[] {
    try {
      return readdirSync(this.folder)
    } catch {
      return []
    }
  }
}

function numberOf(entry: string, name: string): number {
  if (!entry.startsWith(`${name}.`)) return 0
  const digits = entry.slice(name.length + 1)
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : 0
}
