import { useMemo } from 'react'
import { DangerList } from '../../../components/danger'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { KeyHint } from '../../../components/ui/key-hint'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { visibleText } from '../../../lib/visible-text'
import type { Pending } from './pending'

interface PendingCardProps {
  pending: Pending
  onEnd(): void
}

/** Asks for a second key: what is about to happen, to which needs, and why it asks. */
export function PendingCard({ pending, onEnd }: PendingCardProps) {
  const { title, needs, dangers, choices } = pending
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Second key'
    return [
      ...choices.map(
        ({ keys, label, run }): KeyBinding => ({
          keys,
          label: label.toLowerCase(),
          group,
          changes: true,
          run: () => {
            run()
            onEnd()
          },
        }),
      ),
      { keys: 'n', label: 'leave it', group, run: onEnd },
      { keys: 'Escape', label: 'leave it', group, run: onEnd },
    ]
  }, [choices, onEnd])
  useKeys(bindings)
  return (
    <section
      aria-label={title}
      data-testid="second-key"
      className="flex flex-col gap-2 rounded border border-line-strong p-2.5 tint-need"
    >
      <div role="alert">
        <h3 className="text-sm font-semibold">{title}</h3>
      </div>
      <DangerList dangers={dangers} />
      {needs.length < 2 ? null : (
        <ul className="max-h-40 overflow-y-auto rounded bg-panel px-2 py-1 text-xs">
          {needs.map((need) => (
            <li key={need.id} className="truncate">
              <AgentLine text={need.title} />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-col items-start gap-1.5">
        {choices.map(({ keys, label, rule, run }) => (
          <div key={keys} className="flex min-w-0 flex-wrap items-center gap-2">
            <Button
              look={dangers.length > 0 ? 'danger' : 'main'}
              onClick={() => {
                run()
                onEnd()
              }}
            >
              {label} <KeyHint keys={keys} />
            </Button>
            {rule === undefined ? null : (
              <span className="min-w-0 text-xs">
                adds <code className="rounded bg-sunken px-1 font-mono">{visibleText(rule)}</code> to{' '}
                <code className="font-mono">worker.allow</code>
              </span>
            )}
          </div>
        ))}
        <Button look="quiet" onClick={onEnd}>
          Leave it <KeyHint keys="n" />
        </Button>
      </div>
    </section>
  )
}
