import type { FeedReads } from '../../domain/feed'
import { feedSeq } from '../../domain/ids'
import type { TreeEntry, TreeLevel, TreeReads, TreeRequest } from '../../domain/overview/tree-level'
import { checkLimit } from '../sql/cursor'
import type { ReadContext } from '../sql/read-context'
import { leafLevel } from './levels/level-leaf'
import { projectLevel } from './levels/level-project'
import { projectsLevel } from './levels/level-projects'
import { sessionLevel } from './levels/level-session'
import { taskLevel } from './levels/level-task'
import { readLook } from './look'

/** Reads the tree of all work, level by level. */
export function treeReads(context: ReadContext, feed: Pick<FeedReads, 'head'>): TreeReads {
  return {
    async level(request) {
      checkLimit(request.limit)
      // Before the rows: what changes meanwhile is given again rather than missed.
      const head = await feed.head()
      const level = await readLevel(context, request)
      return level && { ...level, feedSeq: feedSeq(head) }
    },
  }
}

type Level = Omit<TreeLevel, 'feedSeq'>

async function readLevel(context: ReadContext, request: TreeRequest): Promise<Level | undefined> {
  const { under } = request
  const look = await readLook(context, request)
  if (under === null) return { path: [] as TreeEntry[], ...(await projectsLevel(context, request, look)) }
  switch (under.kind) {
    case 'project':
      return await projectLevel(context, under.key, request, look)
    case 'task':
      return await taskLevel(context, under.taskId, request, look)
    case 'session':
      return await sessionLevel(context, under.sessionId, null, request, look)
    case 'subagent':
      return await sessionLevel(context, under.sessionId, under.subagentId, request, look)
    case 'tool':
    case 'todo':
      return await leafLevel(context, under, look)
  }
}
