import { Bell, BellOff } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/ui/button'
import { isNotifying, setNotifying } from '../../lib/notify/notify'

/** Turns desktop notifications about needs on or off. Off by default. */
export function NotifyToggle() {
  const [isOn, setOn] = useState(isNotifying)
  const [isRefused, setRefused] = useState(false)
  if (!('Notification' in globalThis)) return null
  async function change() {
    const is = await setNotifying(!isOn)
    setRefused(!isOn && !is)
    setOn(is)
  }
  const Icon = isOn ? Bell : BellOff
  return (
    <Button
      look="quiet"
      aria-pressed={isOn}
      title={isRefused ? 'Allow notifications in the browser’s settings for this page.' : 'Desktop notifications'}
      icon={<Icon aria-hidden size={13} />}
      onClick={() => void change()}
    >
      {isRefused ? 'Blocked by the browser' : isOn ? 'Notifications on' : 'Notify me'}
    </Button>
  )
}
