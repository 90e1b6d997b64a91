import { age, dollars } from '../../print/measures'
import { cut, oneLine, width } from '../../print/text'
import type { CostedNode } from '../../tasks/task-costs'
import type { ViewSettings } from '../session/session-views'
import { statusText } from './task-views'

/**
 * A task with everything below it, in plain ASCII:
 *
 *     t-7f3k9q2m  completed  Build the shop  $1.20  2h
 *     |- t-0a1b2c3d  in_progress  Write the tests  5s
 *     `- t-9z8y7x6w  pending (dependency)  Ship it  1m
 *
 * Drawn with a stack of our own: a tree may be deeper than the engine's call stack would bear.
 */
export function taskTree(root: CostedNode, { now, columns }: ViewSettings): string {
  const lines: string[] = []
  const stack = [{ node: root, first: '', rest: '' }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, first, rest } = next
    const { task } = node
    const isFresh = task.parentTaskId !== null && task.continuity === 'fresh'
    const head = `${first}${task.id}  ${statusText(task)}  `
    const tail = [
      isFresh ? 'new conversation' : '',
      task.costUsd === null ? '' : dollars(task.costUsd, task.isEstimate ?? false),
    ]
    const end = [...tail.filter((part) => part !== ''), age(task.updatedAt, now)].map((part) => `  ${part}`).join('')
    const title = oneLine(task.title)
    const room = columns > 0 ? Math.max(LEAST, columns - width(head) - width(end)) : width(title)
    lines.push(`${head}${cut(title, room)}${end}`)
    for (const [i, child] of [...node.children.entries()].reverse()) {
      const isLast = i === node.children.length - 1
      stack.push({ node: child, first: `${rest}${isLast ? '`- ' : '|- '}`, rest: `${rest}${isLast ? '   ' : '|  '}` })
    }
  }
  return `${lines.join('\n')}\n`
}

/** Cells that a title keeps. */
const LEAST = 10
