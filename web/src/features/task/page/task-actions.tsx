import { useQueryClient } from '@tanstack/react-query'
import {
  Ban,
  CirclePause,
  CirclePlay,
  GitFork,
  type LucideIcon,
  MessageSquare,
  RotateCcw,
  Terminal,
} from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { isFinal } from '#domain/task/task'
import { HeldLine } from '../../../components/held-line'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { CommandLine } from '../../../components/ui/id-chip'
import { KeyHint } from '../../../components/ui/key-hint'
import { copyText } from '../../../lib/clipboard'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { errorOf, hold, isUnderWay, takeBack, useHeld } from '../../../lib/live/held-moves'
import { may } from '../../../lib/me'
import { taskOvertaken } from '../../../lib/person-moves'
import { isDialogOpen } from '../form/dialog-open'
import { useNewTask } from '../form/new-task-place'
import { possibleMoves, type TaskMove, type TaskOpening, taskOpening } from '../task-actions'
import { type TaskDetail, useRelated } from '../task-queries'
import { CancelDialog } from './cancel-dialog'
import { focusMessage } from './send-message'
import { MOVE_ACTS, moveTask, useTaskMoves } from './task-moves'

interface MoveLook {
  label: string
  key: string
  icon: LucideIcon
  /** How it is announced while it can be undone. Without it, the move is made at once, because stopping an agent must not wait. */
  said?: string
}

/** Label, shortcut and icon of each move. */
const MOVE_LOOKS: Readonly<Record<TaskMove, MoveLook>> = {
  resume: { label: 'Resume', key: 'r', icon: CirclePlay, said: 'Resuming' },
  retry: { label: 'Retry', key: 'r', icon: RotateCcw, said: 'Retrying' },
  queue: { label: 'Queue', key: 'r', icon: CirclePlay, said: 'Queuing' },
  pause: { label: 'Pause', key: 'p', icon: CirclePause },
  cancel: { label: 'Cancel', key: 'x', icon: Ban },
}

/** The possible actions on a task, each with a shortcut. */
export function TaskActions({ detail }: { detail: TaskDetail }) {
  const { task, attempts } = detail
  const { children } = useRelated(detail)
  const moves = useTaskMoves(task.id)
  const queries = useQueryClient()
  const heldKey = `move ${task.id}`
  const held = useHeld(heldKey)
  const [isAsked, setAsked] = useState(false)
  const [opened, setOpened] = useState<{ opening: TaskOpening; isCopied: boolean } | null>(null)
  const dialog = useNewTask({ keys: 'c', label: 'new child task', parent: task.id })
  const possible = possibleMoves(task).filter((move) => may(MOVE_ACTS[move]))

  const atOnce = (wanted: Parameters<typeof moves.mutate>[0]) => {
    takeBack(heldKey)
    moves.mutate(wanted)
  }
  const act = (move: TaskMove) => {
    const { said } = MOVE_LOOKS[move]
    if (move === 'cancel') setAsked(true)
    else if (said === undefined) atOnce({ move })
    else
      hold({
        key: heldKey,
        said,
        about: task.title,
        send: () => moveTask(queries, task.id, { move }),
        overtakenBy: taskOvertaken(task.id),
      })
  }
  const open = async () => {
    const opening = taskOpening(task, attempts)
    setOpened({ opening, isCopied: opening.canOpen && (await copyText(opening.command)) })
  }
  useActionKeys({ possible, act, open: () => void open() })

  return (
    <>
      {possible.map((move) => {
        const { label, key, icon: Icon } = MOVE_LOOKS[move]
        return (
          <Button
            key={move}
            look={move === 'cancel' ? 'danger' : move === possible[0] && move !== 'pause' ? 'main' : 'plain'}
            icon={<Icon aria-hidden size={13} />}
            isBusy={moves.isPending || (MOVE_LOOKS[move].said !== undefined && isUnderWay(held))}
            onClick={() => act(move)}
          >
            {label} <Hint keys={key} />
          </Button>
        )
      })}
      <HeldLine held={held} />
      <Button act="tasks.create" icon={<GitFork aria-hidden size={13} />} onClick={dialog.open}>
        Child task <Hint keys="c" />
      </Button>
      <Button act="messages.send" icon={<MessageSquare aria-hidden size={13} />} onClick={focusMessage}>
        Message <Hint keys="m" />
      </Button>
      <Button icon={<Terminal aria-hidden size={13} />} onClick={() => void open()}>
        Open in terminal <Hint keys="o" />
      </Button>
      <div className="flex basis-full justify-end empty:hidden">
        <ErrorLine error={moves.error ?? errorOf(held)} />
      </div>
      <output
        aria-live="polite"
        className="flex basis-full flex-wrap items-center justify-end gap-2 text-xs empty:hidden"
      >
        {opened === null ? null : <Opened {...opened} />}
      </output>
      {isAsked ? (
        <CancelDialog
          task={task}
          openChildren={children.filter(({ status }) => !isFinal(status)).length}
          onClose={() => setAsked(false)}
          onCancel={(reason) => {
            setAsked(false)
            atOnce({ move: 'cancel', reason })
          }}
        />
      ) : null}
      {dialog.element}
    </>
  )
}

const Hint = ({ keys }: { keys: string }) => (
  <span className="max-lg:hidden">
    <KeyHint keys={keys} />
  </span>
)

function Opened({ opening, isCopied }: { opening: TaskOpening; isCopied: boolean }) {
  const said = opening.canOpen
    ? isCopied
      ? 'Copied. Paste it into a terminal:'
      : 'Copy this into a terminal:'
    : opening.why
  return (
    <>
      <span className={opening.canOpen ? 'text-ink-2' : 'text-need'}>{said}</span>
      <CommandLine command={opening.command} />
    </>
  )
}

interface ActionKeys {
  possible: readonly TaskMove[]
  act(move: TaskMove): void
  open(): void
}

function useActionKeys(actions: ActionKeys): void {
  const latest = useRef(actions)
  latest.current = actions
  useKeys(
    useMemo((): KeyBinding[] => {
      const group = 'This task'
      const bind = (keys: string, label: string, ...wanted: TaskMove[]): KeyBinding => ({
        keys,
        label,
        group,
        changes: true,
        run: () => {
          const move = wanted.find((one) => latest.current.possible.includes(one))
          if (move === undefined || isDialogOpen()) return false
          latest.current.act(move)
        },
      })
      return [
        bind('p', 'pause', 'pause'),
        bind('r', 'resume, retry or queue', 'resume', 'retry', 'queue'),
        { ...bind('x', 'cancel (asks for confirmation)', 'cancel'), opensField: true },
        {
          keys: 'o',
          label: 'copy the command that opens it in a terminal',
          group,
          run: () => (isDialogOpen() ? false : latest.current.open()),
        },
      ]
    }, []),
  )
}
