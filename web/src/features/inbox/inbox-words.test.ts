import { expect, test } from 'bun:test'
import { atWork, earlierTask, type InboxTask } from './inbox-words'

const task = (status: InboxTask['status']): InboxTask => ({
  taskId: 't-1' as InboxTask['taskId'],
  title: 'Bring rope',
  status,
})

test('a request is with a task until that is over', () => {
  expect(atWork({ tasks: [] })).toBeNull()
  expect(atWork({ tasks: [task('in_progress'), task('failed')] })?.status).toBe('in_progress')
  expect(atWork({ tasks: [task('cancelled'), task('in_progress')] })).toBeNull()
})

test('its own last task goes before an earlier one of the thread', () => {
  expect(earlierTask({ tasks: [], followsUp: null })).toBeNull()
  expect(earlierTask({ tasks: [], followsUp: task('completed') })?.status).toBe('completed')
  expect(earlierTask({ tasks: [task('failed')], followsUp: task('completed') })?.status).toBe('failed')
})
