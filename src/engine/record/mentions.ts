import type { SessionKey } from '../../domain/ids'
import { branchWords } from '../../domain/issue/issue-mention'
import type { MentionObservation } from '../../domain/record/observation'
import type { MentionRow } from '../../domain/record/record-store'

/** What names issues in a batch of lines: each place once, with its first time. */
export class Mentions {
  private readonly places = new Map<string, Omit<MentionRow, 'sessionKey'>>()
  /** First times of branches: nearly every line names one. */
  private readonly branches = new Map<string, number>()

  add({ source, place, words, at }: Pick<MentionObservation, 'source' | 'place' | 'words' | 'at'>): void {
    const key = `${source} ${place} ${words.join(' ')}`
    const known = this.places.get(key)
    const time = at ?? 0
    if (known) known.at = Math.min(known.at, time)
    else this.places.set(key, { source, place, words, at: time })
  }

  addBranch(branch: string, at: number | null): void {
    const known = this.branches.get(branch)
    if (known === undefined || (at ?? 0) < known) this.branches.set(branch, at ?? 0)
  }

  rows(sessionKey: SessionKey): MentionRow[] {
    const rows = [...this.places.values()].map((row) => ({ ...row, sessionKey }))
    for (const [branch, at] of this.branches) {
      const words = branchWords(branch)
      if (words.length > 0) rows.push({ sessionKey, source: 'branch', place: branch, words, at })
    }
    return rows
  }
}
