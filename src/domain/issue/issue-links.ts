/** Which issues a session works on: a pure rule over what names issues in it and what people decided. */
import type { IssueId, TrackerKey } from '../ids'
import {
  ISSUE_LINK_SOURCES,
  type IssueChoice,
  type IssueLinkSource,
  type IssueTrace,
  type SessionIssue,
} from '../session/session-issue'

/** A word of a session that is an issue's id in one tracker or in several. */
export interface IssueMention {
  source: Extract<IssueLinkSource, 'prompt' | 'branch' | 'environment'>
  place: string
  word: string
  /** Milliseconds. */
  at: number
}

/** An issue that a word may mean. */
export interface MentionedIssue {
  tracker: TrackerKey
  issueId: IssueId
  /** Its tracker's file lies in the folder of the session's project. */
  isHere: boolean
}

/**
 * What words mean: an issue of the session's own project, else the only one that has the id. A word that several trackers elsewhere
 * have names none of them, but is one more that its place names.
 *
 * A person who names two issues in one breath says nothing about which is worked on: a prompt or branch counts only when it names
 * exactly one.
 *
 * @param candidates  every issue with the word as its id
 */
export function tracesOf(
  mentions: readonly IssueMention[],
  candidates: (word: string) => readonly MentionedIssue[],
): IssueTrace[] {
  const named = new Map<string, Set<string>>()
  const traces: IssueTrace[] = []
  for (const { source, place, word, at } of mentions) {
    const found = candidates(word)
    if (found.length === 0) continue
    const here = found.filter(({ isHere }) => isHere)
    const [meant, ...others] = here.length > 0 ? here : found
    const spot = JSON.stringify([source, place])
    const words = named.get(spot) ?? new Set()
    named.set(spot, words.add(word))
    if (meant === undefined || others.length > 0) continue
    traces.push({ tracker: meant.tracker, issueId: meant.issueId, source, place, at })
  }
  return traces.filter(
    ({ source, place }) =>
      (source !== 'prompt' && source !== 'branch') || named.get(JSON.stringify([source, place]))?.size === 1,
  )
}

export interface LinkRule {
  /** Sources that link by themselves; a person's own word always does. */
  linkFrom: readonly IssueLinkSource[]
  /** Whether nothing is left to do on the issue. */
  isOver(tracker: TrackerKey, issue: IssueId): boolean
}

/**
 * The issues that a session is linked to, the one that it works on first.
 *
 * - A person's word is the strongest. A `no` hides what named the issue up to then; what names it later links it again.
 * - Then by the strongest source, then by the newest word of that source, then by id. Issues that are over come after all others,
 *   unless a person linked them.
 *
 * Neither the order of `traces` nor that of `choices` matters, and the same trace twice is one.
 */
export function linkedIssues(
  traces: readonly IssueTrace[],
  choices: readonly IssueChoice[],
  { linkFrom, isOver }: LinkRule,
): SessionIssue[] {
  const links = new Map<string, SessionIssue>()
  const decided = new Map(choices.map((choice) => [keyOf(choice), choice]))
  const add = ({ tracker, issueId, source, place, at }: IssueTrace): void => {
    const key = keyOf({ tracker, issueId })
    const link = links.get(key) ?? { tracker, issueId, evidence: [] }
    links.set(key, link)
    const same = link.evidence.find((known) => known.source === source && known.place === place)
    if (same === undefined) link.evidence.push({ source, place, at })
    else same.at = Math.max(same.at, at)
  }
  for (const { tracker, issueId, isLinked, at } of choices)
    if (isLinked) add({ tracker, issueId, source: 'person', place: '', at })
  for (const trace of traces) {
    if (trace.source === 'person' || !linkFrom.includes(trace.source)) continue
    const choice = decided.get(keyOf(trace))
    if (choice !== undefined && !choice.isLinked && trace.at <= choice.at) continue
    add(trace)
  }
  for (const link of links.values()) link.evidence.sort(byStrength)
  return [...links.values()].sort((a, b) => {
    const rank = ({ tracker, issueId, evidence }: SessionIssue): number =>
      evidence[0]?.source !== 'person' && isOver(tracker, issueId) ? 1 : 0
    const [first, second] = [a.evidence[0], b.evidence[0]]
    return (
      rank(a) - rank(b) ||
      strengthOf(first) - strengthOf(second) ||
      (second?.at ?? 0) - (first?.at ?? 0) ||
      compare(a.issueId, b.issueId) ||
      a.tracker - b.tracker
    )
  })
}

const keyOf = ({ tracker, issueId }: { tracker: TrackerKey; issueId: IssueId }): string => `${tracker} ${issueId}`

type Evidence = SessionIssue['evidence'][number]

const strengthOf = (evidence: Evidence | undefined): number =>
  evidence === undefined ? ISSUE_LINK_SOURCES.length : ISSUE_LINK_SOURCES.indexOf(evidence.source)

const byStrength = (a: Evidence, b: Evidence): number =>
  strengthOf(a) - strengthOf(b) || b.at - a.at || compare(a.place, b.place)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
