import { feedSeq } from '../../domain/ids'
import type { RequestInput } from '../contract/requests'
import type { FeedEntry } from '../contract/wire'
import type { Caller, FollowOptions } from './call'
import { followStream } from './follow-stream'
import { isRecord, parseJson } from './remote-error'

/** Follows the feed; see `followStream`. */
export function followFeed(
  caller: Caller,
  input: RequestInput<'feed.follow'>,
  options?: FollowOptions,
): AsyncGenerator<FeedEntry> {
  return followStream(caller, { route: 'feed.follow', input, cursor: input.after, read: readEntry }, options)
}

function readEntry(data: string): FeedEntry | undefined {
  const entry = parseJson(data)
  if (!isRecord(entry) || typeof entry.seq !== 'number') return undefined
  return { ...(entry as unknown as FeedEntry), seq: feedSeq(entry.seq) }
}
