import { useState } from "react";

import { useHatoState } from "./useHatoState.ts";

export function Subscribe() {
  const state = useHatoState();
  const [error, setError] = useState("");
  const attempt = (action: () => Promise<void>) => () => {
    setError("");
    action().catch((reason: Error) => setError(reason.message));
  };
  return (
    <section>
      {state === "unsubscribed" && (
        <button id="subscribe" onClick={attempt(hato.subscribe)}>
          Warn me of storms
        </button>
      )}
      {state === "subscribed" && (
        <button id="unsubscribe" onClick={attempt(hato.unsubscribe)}>
          No more warnings
        </button>
      )}
      <p>
        Notifications: <output id="state">{state}</output>
      </p>
      <p role="alert">{error}</p>
    </section>
  );
}
