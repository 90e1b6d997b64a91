/** What says that pull and merge requests were merged: calls that merge them, and outputs. */
import type { Migration } from '../migration'

export const requestMergesMigration: Migration = {
  number: 390,
  name: 'request-merges',
  minCompatible: 200,
  up: (t) => [
    `create table request_merges (
      session_id ${t.int} not null references sessions(id) on delete cascade,
      request ${t.bytewise} not null, -- its address, #N in the session's repository, or '' = the newest that the session made before
      tool_use_id ${t.bytewise} not null, -- of the call that merges it if it goes well; '' = an output says that it is merged
      project_id ${t.int}, -- of the session then
      at ${t.int} not null,
      primary key (session_id, request, tool_use_id)
    ) ${t.withoutRowid}`,
    'create index request_merges_request on request_merges (request, project_id, at)',
  ],
  down: () => ['drop table request_merges'],
}
