// A browser program with no library: it signs in at the service in its address, which is another origin, by fetch alone.
const about = new URLSearchParams(location.search);
const [service, key] = [about.get("service"), about.get("key")];
const project = service + "/auth/v1";
const ada = { email: about.get("email"), password: about.get("password") };
const steps = [];

function demand(isSo, what) {
    if (!isSo) throw new Error(what);
}

// One step: what it is called, and what must not throw.
async function step(name, work) {
    try {
        await work();
        steps.push({ name, ok: true });
    } catch (error) {
        steps.push({ name, ok: false, why: String(error) });
    }
}

// A step whose request the browser must refuse to show: the answer stays closed to other origins.
async function closed(name, address, options) {
    await step("closed: " + name, async () => {
        let answer;
        try {
            answer = await fetch(address, options);
        } catch (error) {
            demand(error instanceof TypeError, "another failure: " + error);
            return;
        }
        throw new Error("the page reads an answer with status " + answer.status);
    });
}

async function ask(method, path, body, token, more = {}) {
    const headers = {
        apikey: key, "Content-Type": "application/json", "X-Client-Info": "plain-fetch/1",
        "X-Supabase-Api-Version": "2024-01-01", ...more,
    };
    if (token) headers.Authorization = "Bearer " + token;
    if (headers.apikey === null) delete headers.apikey;
    const answer = await fetch(project + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    let json = null;
    try { json = JSON.parse(text); } catch { /* not every answer is JSON */ }
    return { status: answer.status, json, headers: answer.headers };
}

async function supabase() {
    let session = {};
    await step("password", async () => {
        const answer = await ask("POST", "/token?grant_type=password", ada);
        demand(answer.status === 200, "status " + answer.status);
        session = answer.json;
        demand(session.access_token && session.refresh_token, "no tokens");
    });
    await step("user", async () => {
        const answer = await ask("GET", "/user", undefined, session.access_token);
        demand(answer.status === 200 && answer.json.email === ada.email, "status " + answer.status);
    });
    await step("refresh", async () => {
        const answer = await ask("POST", "/token?grant_type=refresh_token", { refresh_token: session.refresh_token });
        demand(answer.status === 200 && answer.json.refresh_token !== session.refresh_token, "status " + answer.status);
        session = answer.json;
    });
    await step("change", async () => {
        const answer = await ask("PUT", "/user", { data: { seen: "across origins" } }, session.access_token);
        demand(answer.status === 200 && answer.json.user_metadata.seen === "across origins", "status " + answer.status);
    });
    await step("settings", async () => {
        const answer = await ask("GET", "/settings");
        demand(answer.status === 200 && answer.json.external, "status " + answer.status);
    });
    await step("keys", async () => {
        const answer = await fetch(project + "/.well-known/jwks.json");
        demand((await answer.json()).keys.length > 0, "no keys");
    });
    await step("a refusal", async () => {
        const answer = await ask("POST", "/token?grant_type=password", { ...ada, password: "wrong" });
        demand(answer.status === 400 && answer.json.code === "invalid_credentials", "status " + answer.status);
        demand(answer.headers.get("X-Supabase-Api-Version") === "2024-01-01", "the version is not exposed");
    });
    await step("a refusal of the gateway", async () => {
        const answer = await ask("GET", "/user", undefined, undefined, { apikey: null });
        demand(answer.status === 401 && answer.json.message, "status " + answer.status);
    });
    await step("no such place", async () => {
        const answer = await ask("POST", "/nowhere", {});
        demand(answer.status === 404, "status " + answer.status);
    });
    await step("sign-out", async () => {
        const answer = await ask("POST", "/logout?scope=local", undefined, session.access_token);
        demand(answer.status === 204, "status " + answer.status);
    });
    await step("signed out", async () => {
        const answer = await ask("GET", "/user", undefined, session.access_token);
        demand(answer.status === 403 && answer.json.code === "session_not_found", "status " + answer.status);
    });
    await closed("a cookie", project + "/settings", { headers: { apikey: key }, credentials: "include" });
}

async function oauth() {
    let found = {}, token = "";
    await step("discovery", async () => {
        found = await (await fetch(service + "/.well-known/openid-configuration")).json();
        demand(found.token_endpoint.startsWith(service), "another token endpoint");
    });
    await step("token", async () => {
        const secret = btoa("dev-service:" + encodeURIComponent(about.get("secret")));
        const answer = await fetch(found.token_endpoint, {
            method: "POST", headers: { Authorization: "Basic " + secret },
            body: new URLSearchParams({ grant_type: "client_credentials" }),
        });
        demand(answer.status === 200, "status " + answer.status);
        token = (await answer.json()).access_token;
    });
    await step("resource", async () => {
        const answer = await fetch(service + "/resource", { headers: { Authorization: "Bearer " + token } });
        demand(answer.status === 200, "status " + answer.status);
    });
    await step("no token", async () => {
        const answer = await fetch(found.userinfo_endpoint);
        demand(answer.status === 401 && answer.headers.get("WWW-Authenticate"), "the challenge is not exposed");
    });
    await step("a bad code", async () => {
        const answer = await fetch(found.token_endpoint, {
            method: "POST", body: new URLSearchParams({
                grant_type: "authorization_code", client_id: "dev-native", code: "none", code_verifier: "a".repeat(43),
                redirect_uri: "http://127.0.0.1/callback",
            }),
        });
        demand(answer.status === 400 && (await answer.json()).error === "invalid_grant", "status " + answer.status);
    });
    await closed("authorize", found.authorization_endpoint);
    await closed("inbox", service + "/inbox");
    await closed("inbox as JSON", service + "/inbox.json");
    await closed("home", service + "/");
    await closed("control", service + "/control/log", { headers: { "X-Latchkey-Control": "1" } });
}

supabase().then(oauth).then(() => {
    document.querySelector("pre").textContent = JSON.stringify(steps);
    document.title = "done";
});
