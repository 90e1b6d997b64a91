import { expect, test } from 'bun:test'
import { inGroups, limitInTheWay, NO_LIMITS, RunningCounts, shareText } from './placement'

const share = (user: string, project = '') => shareText({ user, project })
const candidate = (name: string, user: string, more = {}) => ({
  name,
  priority: 50,
  isOwn: false,
  share: share(user),
  agentCli: 'codex',
  isNear: false,
  ...more,
})
const counts = new RunningCounts([
  { share: share('ada', 'r1'), agentCli: 'codex', count: 3 },
  { share: share('ada', 'r2'), agentCli: 'pi', count: 1 },
  { share: share('bob', 'r1'), agentCli: 'codex', count: 2 },
])
const order = (candidates: ReturnType<typeof candidate>[], limits = NO_LIMITS) =>
  inGroups(candidates, counts, limits).map((group) => group.map(({ name }) => name).join('+'))

test('priority goes first, then what is its own, then whoever has less, then what is near', () => {
  const [a1, a2, b] = [candidate('a1', 'ada'), candidate('a2', 'ada'), candidate('b', 'bob')]
  expect(order([a1, b, a2])).toEqual(['b', 'a1+a2'])
  expect(order([a1, { ...a2, priority: 60 }, b])).toEqual(['a2', 'b', 'a1'])
  expect(order([a1, { ...a2, isOwn: true }, b])).toEqual(['a2', 'b', 'a1'])
  expect(order([a1, { ...a2, isNear: true }, { ...b, isNear: false }])).toEqual(['b', 'a2', 'a1'])
  const projects = [
    candidate('r1', 'ada', { share: share('ada', 'r1') }),
    candidate('r2', 'ada', { share: share('ada', 'r2') }),
  ]
  expect(order(projects)).toEqual(['r2', 'r1'])
})

test('who has reached a limit waits, and is told for what', () => {
  const all = [candidate('a', 'ada'), candidate('b', 'bob'), candidate('nobody', '', { agentCli: null })]
  expect(order(all, { ...NO_LIMITS, perUser: 4 })).toEqual(['nobody', 'b'])
  expect(order(all, { ...NO_LIMITS, perAgent: 5 })).toEqual(['nobody'])
  const ofProject = candidate('p', 'eve', { share: share('eve', 'r1') })
  expect(limitInTheWay(ofProject, counts, { ...NO_LIMITS, perProject: 5 })).toBe(
    '5 of at most 5 tasks of project r1 run',
  )
  expect(limitInTheWay(ofProject, counts, { ...NO_LIMITS, perProject: 6 })).toBeNull()
})
