import type { RequestInput } from '../contract/requests'
import type { ResponseOf } from '../contract/responses'
import type { Caller, CallOptions } from './call'
import { callCreate } from './create'
import type { CreateOptions } from './work-client'

type Names =
  | 'update'
  | 'delete'
  | 'close'
  | 'reopen'
  | 'claim'
  | 'release'
  | 'explain'
  | 'tree'
  | 'history'
  | 'comments'
  | 'comment'
  | 'addDependency'
  | 'get'
type Trackers =
  | 'list'
  | 'ready'
  | 'blocked'
  | 'stats'
  | 'lint'
  | 'cycles'
  | 'epics'
  | 'labels'
  | 'trackers'
  | 'import'
  | 'sync'
  | 'statusList'
  | 'statuses'
  | 'claimNext'

type OfOne = {
  [Name in Names]: (
    id: string,
    input: Omit<RequestInput<`issues.${Name}`>, 'id'>,
    options?: CallOptions,
  ) => Promise<ResponseOf<`issues.${Name}`>>
}
type OfTracker = {
  [Name in Trackers]: (
    input: RequestInput<`issues.${Name}`>,
    options?: CallOptions,
  ) => Promise<ResponseOf<`issues.${Name}`>>
}

/** The methods for issues. `dir` in the input says which tracker; `id` may be a unique beginning, or the part after the prefix. */
export interface IssueClient extends OfOne, OfTracker {
  create(input: RequestInput<'issues.create'>, options?: CreateOptions): Promise<ResponseOf<'issues.create'>>
  /** Sent twice under one key it makes its tasks once. */
  dispatch(
    id: string,
    input: Omit<RequestInput<'issues.dispatch'>, 'id'>,
    options?: CreateOptions,
  ): Promise<ResponseOf<'issues.dispatch'>>
  removeDependency(
    id: string,
    dependsOnId: string,
    input: Omit<RequestInput<'issues.removeDependency'>, 'id' | 'dependsOnId'>,
    options?: CallOptions,
  ): Promise<ResponseOf<'issues.removeDependency'>>
  /** The file's text. */
  export(input: RequestInput<'issues.export'>, options?: CallOptions): Promise<string>
}

export function issueMethods(caller: Caller): IssueClient {
  const { call } = caller
  return {
    create: (input, o) => callCreate(caller, 'issues.create', input, o),
    dispatch: (id, input, o) => callCreate(caller, 'issues.dispatch', { ...input, id }, o),
    list: (input, o) => call('issues.list', input, o),
    ready: (input, o) => call('issues.ready', input, o),
    blocked: (input, o) => call('issues.blocked', input, o),
    stats: (input, o) => call('issues.stats', input, o),
    lint: (input, o) => call('issues.lint', input, o),
    cycles: (input, o) => call('issues.cycles', input, o),
    epics: (input, o) => call('issues.epics', input, o),
    labels: (input, o) => call('issues.labels', input, o),
    trackers: (input, o) => call('issues.trackers', input, o),
    import: (input, o) => call('issues.import', input, o),
    sync: (input, o) => call('issues.sync', input, o),
    statusList: (input, o) => call('issues.statusList', input, o),
    statuses: (input, o) => call('issues.statuses', input, o),
    claimNext: (input, o) => call('issues.claimNext', input, o),
    get: (id, input, o) => call('issues.get', { ...input, id }, o),
    update: (id, input, o) => call('issues.update', { ...input, id }, o),
    delete: (id, input, o) => call('issues.delete', { ...input, id }, o),
    close: (id, input, o) => call('issues.close', { ...input, id }, o),
    reopen: (id, input, o) => call('issues.reopen', { ...input, id }, o),
    claim: (id, input, o) => call('issues.claim', { ...input, id }, o),
    release: (id, input, o) => call('issues.release', { ...input, id }, o),
    explain: (id, input, o) => call('issues.explain', { ...input, id }, o),
    tree: (id, input, o) => call('issues.tree', { ...input, id }, o),
    history: (id, input, o) => call('issues.history', { ...input, id }, o),
    comments: (id, input, o) => call('issues.comments', { ...input, id }, o),
    comment: (id, input, o) => call('issues.comment', { ...input, id }, o),
    addDependency: (id, input, o) => call('issues.addDependency', { ...input, id }, o),
    removeDependency: (id, dependsOnId, input, o) => call('issues.removeDependency', { ...input, id, dependsOnId }, o),
    export: async (input, o) => (await caller.open('issues.export', input, o)).text(),
  }
}
