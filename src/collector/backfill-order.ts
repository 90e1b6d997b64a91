import type { JournalKind, JournalRef } from '../domain/harness/harness'

/** A file that was found and is not recorded as it stands. */
export interface Candidate {
  path: string
  ref: JournalRef
  /** Milliseconds; `mtime`, which a copied folder keeps: what a person means by newest. */
  modifiedAt: number
  /** Bytes. */
  size: number
  /** `false` = it looks as it was, but may have changed too soon after the last look to show it. */
  isChanged: boolean
}

/** Within a session: the conversation itself, then what links a sub-agent to it, then the sub-agents. */
const RANK: Record<JournalKind, number> = {
  hooks: 0,
  transcript: 1,
  stream: 1,
  subagent_meta: 2,
  subagent: 3,
  tasks: 4,
}

/** Sessions that were at work last come first, each whole. Files of many sessions stand for themselves. */
export function sortForBackfill(candidates: Candidate[]): Candidate[] {
  const newest = new Map<string, number>()
  for (const candidate of candidates) {
    const group = groupOf(candidate)
    newest.set(group, Math.max(newest.get(group) ?? 0, candidate.modifiedAt))
  }
  const age = (candidate: Candidate) => newest.get(groupOf(candidate)) ?? 0
  return candidates.sort(
    (a, b) =>
      age(b) - age(a) ||
      compare(groupOf(a), groupOf(b)) ||
      RANK[a.ref.kind] - RANK[b.ref.kind] ||
      b.modifiedAt - a.modifiedAt,
  )
}

function groupOf({ ref, path }: Candidate): string {
  return ref.sessionId ?? path
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
