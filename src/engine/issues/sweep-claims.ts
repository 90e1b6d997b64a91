import { CLAIM_GRACE_MS } from '../../domain/issue/issue'
import type { ClaimRow } from '../../domain/issue/issue-store'
import { freeIssue } from './claim-issue'
import { recordChange } from './issue-unit'
import { isHolderGone } from './liveness'
import { placeOfTracker } from './resolve-scope'
import type { TrackerUnits } from './trackers/tracker-units'

/** Claims of holders that are gone lapse; those of holders that came back stand again. */
export async function sweepClaims(units: TrackerUnits): Promise<{ lapsed: number }> {
  let lapsed = 0
  const due: { claim: ClaimRow; isGone: boolean }[] = []
  for (const claim of await units.store.issues.claims()) {
    const now = units.now?.() ?? Date.now()
    const isGone = await isHolderGone(units.store, claim, now)
    const isOver = isGone && now - (claim.goneAt ?? now) >= CLAIM_GRACE_MS
    if (isGone !== (claim.goneAt !== null) || isOver) due.push({ claim, isGone })
  }
  if (due.length === 0) return { lapsed }
  const trackers = new Map((await units.store.issues.trackers()).map((tracker) => [tracker.key, tracker]))
  for (const { claim, isGone } of due) {
    const tracker = trackers.get(claim.trackerKey)
    if (tracker === undefined) continue
    const target = { place: placeOfTracker(units.files, tracker), tracker: tracker.key }
    let isFreed = false
    const isDone = await units.changeUnasked(target, async (unit) => {
      isFreed = false
      const current = await unit.issues.claim(claim.issueKey)
      const issue = await unit.issues.find(unit.key, claim.issueId)
      if (current === undefined || issue === undefined || current.since !== claim.since) return []
      if (!isGone || current.goneAt === null) {
        await unit.issues.putClaim({ ...current, goneAt: isGone ? unit.now : null })
        await recordChange(unit, issue, isGone ? 'holder_gone' : 'holder_back', { new: { holder: current.holder } })
      } else {
        await freeIssue(unit, issue, current.holder, 'claim_lapsed')
        isFreed = true
      }
      return [issue.id]
    })
    if (isDone && isFreed) lapsed++
  }
  return { lapsed }
}
