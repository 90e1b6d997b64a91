import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { orderPlan } from '../../src/engine/tasks/plans/plan-order'

/** Edges go to any task, so that about half of these are cyclic. */
const plans = fc
  .integer({ min: 1, max: 40 })
  .chain((size) =>
    fc
      .array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size })
      .map((edges) => edges.map((on, n) => ({ key: `k${n}`, task: `task ${n}`, dependsOn: on.map((to) => `k${to}`) }))),
  )

/** Takes away what waits for nothing until nothing is left, or nothing can go. */
function isCyclic(tasks: { key: string; dependsOn: string[] }[]): boolean {
  let left = tasks
  for (;;) {
    const keys = new Set(left.map(({ key }) => key))
    const rest = left.filter(({ dependsOn }) => dependsOn.some((on) => keys.has(on)))
    if (rest.length === left.length) return rest.length > 0
    left = rest
  }
}

test('each task comes after those that it waits for, all of them once; a cycle is refused and named', () => {
  let cyclic = 0
  fc.assert(
    fc.property(plans, (tasks) => {
      if (isCyclic(tasks)) {
        cyclic++
        try {
          orderPlan(tasks)
        } catch (thrown) {
          const { code, details } = thrown as { code: string; details: { keys: string[] } }
          expect(code).toBe('invalid')
          const { keys } = details
          expect(keys.at(-1)).toBe(keys[0])
          for (const [at, key] of keys.slice(0, -1).entries())
            expect(tasks.find((task) => task.key === key)?.dependsOn).toContain(keys[at + 1] ?? '')
          return
        }
        throw new Error('a cycle was taken')
      }
      const order = orderPlan(tasks).tasks.map(({ task }) => task.key)
      expect([...order].sort()).toEqual(tasks.map(({ key }) => key).sort())
      for (const { key, dependsOn } of tasks)
        for (const on of dependsOn) expect(order.indexOf(on)).toBeLessThan(order.indexOf(key))
    }),
    { numRuns: 500 },
  )
  expect(cyclic).toBeGreaterThan(50)
})

test('a chain of five hundred is ordered without recursion, from its far end', () => {
  const tasks = Array.from({ length: 500 }, (_, n) => ({
    key: `k${n}`,
    task: 'x',
    dependsOn: n < 499 ? [`k${n + 1}`] : [],
  }))
  expect(orderPlan(tasks).tasks[0]?.task.key).toBe('k499')
})
