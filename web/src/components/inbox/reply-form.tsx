import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { client } from '../../lib/api'
import type { InboxRequest } from '../../lib/inbox-words'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { TextArea } from '../ui/field'
import { Tick } from '../ui/tick'

interface ReplyFormProps {
  request: InboxRequest
  onDone(message: InboxRequest): void
}

/** Answers who sent the request. Whether it got there stands with the replies. */
export function ReplyForm({ request, onDone }: ReplyFormProps) {
  const [text, setText] = useState('')
  const [close, setClose] = useState(false)
  const key = useRef<{ words: string; key: string } | null>(null)
  const reply = useMutation({
    mutationFn: () => {
      const input = { text, ...(close && { close }) }
      const words = JSON.stringify(input)
      if (key.current?.words !== words) key.current = { words, key: crypto.randomUUID() }
      return client.inbox.reply(request.id, input, { idempotencyKey: key.current.key })
    },
    onSuccess: ({ message }) => {
      key.current = null
      setText('')
      onDone(message)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') reply.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2.5">
      <TextArea label="Your answer" rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      <Tick label="and close it: nothing more is to be done" is={close} onIs={setClose} />
      <ErrorLine error={reply.error} />
      <div>
        <Button
          type="submit"
          look="main"
          icon={<Send aria-hidden size={14} />}
          isBusy={reply.isPending}
          disabled={text.trim() === ''}
        >
          Send
        </Button>
      </div>
    </form>
  )
}
