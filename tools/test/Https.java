// SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.util.Arrays;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Checks certificates and HTTPS. {@code authorities} loads the default truststore, which must not be empty. {@code get
 * URL} sends a request.
 */
public class Https {
    public static void main(String[] args) throws Exception {
        if (args[0].equals("authorities")) {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            int count = Arrays.stream(factory.getTrustManagers())
                .filter(manager -> manager instanceof X509TrustManager)
                .mapToInt(manager -> ((X509TrustManager) manager).getAcceptedIssuers().length).sum();
            if (count <= 50) {
                throw new AssertionError("only " + count + " certificate authorities");
            }
            System.out.println(count + " authorities");
        } else {
            HttpResponse<Void> response = HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create(args[1])).build(), HttpResponse.BodyHandlers.discarding());
            System.out.println("status " + response.statusCode());
        }
    }
}
