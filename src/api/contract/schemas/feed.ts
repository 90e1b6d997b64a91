import * as z from 'zod/mini'
import { FEED_KINDS } from '../../../domain/feed'
import { feedSeqSchema, sessionIdSchema } from './ids'
import { Instant } from './usage'

export const FeedKindSchema = z.enum(FEED_KINDS)

/** One change. A reader skips kinds that it doesn't know. */
export const FeedEntry = z.object({
  seq: feedSeqSchema,
  at: Instant,
  kind: FeedKindSchema,
  sessionId: z.nullable(sessionIdSchema),
  data: z.record(z.string(), z.unknown()),
})

/** `nextCursor` goes into `after`, whether entries matched or not; `isEnd` = nothing more was there when we looked. */
export const FeedPage = z.object({ entries: z.array(FeedEntry), nextCursor: feedSeqSchema, isEnd: z.boolean() })
