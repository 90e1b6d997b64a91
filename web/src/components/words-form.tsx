import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { submitOnModEnter } from '../lib/keys/submit-key'
import { Button } from './ui/button'
import { ErrorLine } from './ui/error-card'
import { TextArea } from './ui/field'
import { KeyHint } from './ui/key-hint'

interface WordsFormProps {
  label: string
  /** Initial text. */
  initial?: string
  /** Help below the field: what happens with the text. */
  hint: string
  /** The most characters that are accepted. */
  limit: number
  button: { label: string; icon: ReactNode }
  /** @param idempotencyKey  stays the same while the same text is retried, so that it is sent once */
  send(text: string, idempotencyKey: string): Promise<unknown>
}

/** A text for an agent, and the button that sends it. Sending empties the field. */
export function WordsForm({ label, initial = '', hint, limit, button, send }: WordsFormProps) {
  const [text, setText] = useState(initial)
  const sending = useRef<{ text: string; key: string } | null>(null)
  const isUnderWay = useRef(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      if (sending.current?.text !== text) sending.current = { text, key: crypto.randomUUID() }
      return send(text.trim(), sending.current.key)
    },
    onSuccess: () => {
      sending.current = null
      setText('')
    },
    onSettled: () => {
      isUnderWay.current = false
    },
  })
  const isSendable = text.trim() !== '' && text.length <= limit
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A second click may arrive before the first is rendered.
    if (!isSendable || isUnderWay.current) return
    isUnderWay.current = true
    mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextArea
        label={label}
        value={text}
        rows={4}
        autoFocus
        // Typing continues after the initial text.
        onFocus={({ currentTarget: field }) => field.setSelectionRange(field.value.length, field.value.length)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={submitOnModEnter}
        hint={hint}
        problem={text.length > limit ? `At most ${limit.toLocaleString('en')} characters.` : null}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="main" icon={button.icon} isBusy={isPending} disabled={!isSendable}>
          {button.label} <KeyHint keys="Mod+Enter" />
        </Button>
        <ErrorLine error={error} />
      </div>
    </form>
  )
}
