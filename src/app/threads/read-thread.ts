/** The thread for reads that take long (search, counting the whole record), so that they delay no other request. */
import type { Config } from '../../config/load'
import { AppError } from '../../domain/errors'
import type { Store } from '../../domain/store'
import { openDatabase } from './database'
import { serveCalls } from './thread-call'

declare const self: Worker & Parameters<typeof serveCalls>[0]

type Conversations = Store['conversations']

let store: Store | undefined

serveCalls(self, async (method, args) => {
  if (method === 'open') {
    store = await openDatabase(
      { ...(args[0] as Pick<Config, 'home' | 'blobs'>), databaseUrl: null },
      { mode: 'read-only' },
    )
    return null
  }
  if (!store) throw new AppError('internal', 'The read thread is not open.')
  switch (method) {
    case 'search':
      return await store.events.search(...(args as Parameters<Store['events']['search']>))
    case 'sharedLines':
      return await store.conversations.sharedLines(...(args as Parameters<Conversations['sharedLines']>))
    case 'countLines':
      return await store.conversations.countLines(...(args as Parameters<Conversations['countLines']>))
    case 'turnSpans':
      return await store.conversations.turnSpans(...(args as Parameters<Conversations['turnSpans']>))
    case 'toolSpans':
      return await store.conversations.toolSpans(...(args as Parameters<Conversations['toolSpans']>))
    case 'listSessions':
      return await store.sessions.list(...(args as Parameters<Store['sessions']['list']>))
    case 'sessionFacets':
      return await store.sessions.facets(...(args as Parameters<Store['sessions']['facets']>))
    case 'stepInSession':
      return await store.sessions.step(...(args as Parameters<Store['sessions']['step']>))
    case 'treeLevel':
      return await store.tree.level(...(args as Parameters<Store['tree']['level']>))
    case 'sumCosts':
      return await store.costs.sum(...(args as Parameters<Store['costs']['sum']>))
    case 'costsOverTime':
      return await store.costs.overTime(...(args as Parameters<Store['costs']['overTime']>))
    case 'dayLanes':
      return await store.days.lanes(...(args as Parameters<Store['days']['lanes']>))
    case 'dayMoment':
      return await store.days.moment(...(args as Parameters<Store['days']['moment']>))
    case 'oldSessions':
      return await store.retention.oldSessions(...(args as Parameters<Store['retention']['oldSessions']>))
    case 'storage':
      return await store.diagnostics.storage()
    case 'agentVersions':
      return await store.diagnostics.agentVersions()
    case 'recordKinds':
      return await store.diagnostics.recordKinds()
    case 'malformedLines':
      return await store.diagnostics.malformedLines(args[0] as number)
    case 'close':
      return await store.close()
    default:
      throw new AppError('internal', `The read thread has no method ${method}.`)
  }
})
