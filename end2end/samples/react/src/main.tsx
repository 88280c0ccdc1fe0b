import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Subscribe } from "./Subscribe.tsx";

// Once, when the app starts; a component learns of the state through useHatoState.
hato.init({ baseUrl: "https://push.example.com", appKey: "pk_subscribe_only" });

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <h1>Weather</h1>
    <Subscribe />
  </StrictMode>,
);
