import { AppError } from '../../../../domain/errors'
import type { StatusSettings } from '../../../../domain/overview/shown-status'
import { readTreeId } from '../../../../domain/overview/tree-id'
import type { NeedPlaces } from '../../../../domain/overview/tree-level'
import { needPlaces } from '../../../../engine/overview/overview'
import { tree } from '../../../contract/operations/overview'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp } from '../../find/find-session'
import { settle } from '../../find/find-task'
import { handle } from '../../handler'
import { needSettings } from '../../need-settings'

export const treeLevel = handle(tree.level, async ({ query }, context) => {
  const { under, status, needed, q, agent, since, limit = DEFAULT_PAGE_LIMIT, cursor } = query
  checkAgentCli(agent, context)
  const place = under === undefined ? null : readTreeId(under)
  if (place === undefined) throw noEntry(under)
  await settle(context)
  await catchUp(place !== null && 'sessionId' in place ? place.sessionId : null, context)
  const settings = await needSettings(context)
  const level = await context.store.tree.level({
    under: place,
    limit,
    now: context.now(),
    settings,
    needs: await needsNow(context, settings),
    ...(needed && { needed }),
    ...(cursor !== undefined && { cursor }),
    ...(status !== undefined && status.length > 0 && { statuses: [...new Set(status)].sort() }),
    ...(q !== undefined && { q }),
    ...(agent !== undefined && { agent }),
    ...(since !== undefined && { since: Date.parse(since) }),
  })
  if (level === undefined) throw noEntry(under)
  return level
})

/** A page of the tree asks for many levels at once. Older ones are not taken: what is stuck or lost follows from the time alone. */
const KEPT_MS = 2_000
const kept = new WeakMap<Context['store'], { feedSeq: number; at: number; places: Promise<NeedPlaces> }>()

/** What needs a person: read again after every change that the feed reports. */
async function needsNow(context: Context, settings: StatusSettings): Promise<NeedPlaces> {
  const { store } = context
  const [feedSeq, at] = [await store.feed.head(), context.now()]
  const last = kept.get(store)
  if (last?.feedSeq === feedSeq && at >= last.at && at - last.at < KEPT_MS) return await last.places
  const places = needPlaces(store, at, settings)
  kept.set(store, { feedSeq, at, places })
  // One that failed is not kept.
  places.catch(() => kept.delete(store))
  return await places
}

const noEntry = (id: string | undefined): AppError =>
  new AppError('not_found', `The tree has no entry ${id}.`, {
    hint: 'Use the `id` of an entry of another level, or omit `under` to list the projects.',
  })
